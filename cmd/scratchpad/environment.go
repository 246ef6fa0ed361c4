package main

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// nameVariables is kong's hook. It gives each flag without a variable one: SCRATCHPAD_,
// the commands and the flag. An empty variable counts as unset, and is removed from
// the environment of this process.
func nameVariables(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok {
			nameVariablesOf(n)
		} else if app, ok := node.(*kong.Application); ok {
			nameVariablesOf(app.Node)
		}
		return next(nil)
	})
}

func nameVariablesOf(n *kong.Node) {
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

// given reports whether a flag was given, by its variable or on the command line.
func (p *process) given(flag string) bool {
	for _, f := range p.parsed.Flags() {
		if f.Name != flag {
			continue
		}
		for _, variable := range f.Envs {
			if _, ok := os.LookupEnv(variable); ok {
				return true
			}
		}
	}
	return p.onLine(flag)
}

// onLine reports whether a flag was given on the command line.
func (p *process) onLine(flag string) bool {
	return slices.ContainsFunc(p.parsed.Path, func(e *kong.Path) bool { return e.Flag != nil && e.Flag.Name == flag })
}
