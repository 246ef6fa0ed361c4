package main

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// environment is kong's hook. It gives each flag without a variable one: SCRATCHPAD_,
// the commands and the flag. An empty variable counts as unset, and is removed from
// the environment of this process.
func environment(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok {
			nameVariables(n)
		} else if app, ok := node.(*kong.Application); ok {
			nameVariables(app.Node)
		}
		return next(nil)
	})
}

func nameVariables(n *kong.Node) {
	var words []string
	for at := n; at != nil; at = at.Parent {
		words = append([]string{at.Name}, words...)
	}
	for _, f := range n.Flags {
		if f.Name != "help" && len(f.Envs) == 0 {
			name := strings.ToUpper(strings.ReplaceAll(strings.Join(append(words, f.Name), "_"), "-", "_"))
			f.Envs = []string{name}
			f.Value.Tag.Envs = f.Envs
		}
		for _, name := range f.Envs {
			if os.Getenv(name) == "" {
				os.Unsetenv(name)
			}
		}
	}
}
