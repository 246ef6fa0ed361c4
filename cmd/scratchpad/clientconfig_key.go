package main

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// claudeCommand returns the command line that adds a server to Claude Code. It refers
// to variables by name, so that their values are not in the list of processes; Claude
// Code replaces them when it starts the server. The option after the variables is
// needed: without it Claude Code takes the server's name for another variable.
func claudeCommand(name string, s clientconfig.Server) string {
	words := []string{"claude", "mcp", "add"}
	for _, variable := range slices.Sorted(maps.Keys(s.Env)) {
		quote := `'`
		if runtime.GOOS == "windows" {
			quote = `"`
		}
		words = append(words, "--env", fmt.Sprintf("%s%s=${%s}%s", quote, variable, variable, quote))
	}
	if len(s.Env) > 0 {
		words = append(words, "--transport", "stdio")
	}
	words = append(words, name, "--", native.Quote(s.Command))
	for _, arg := range s.Args {
		words = append(words, native.Quote(arg))
	}
	return strings.Join(words, " ")
}

// sayKey tells a user with a key how the server gets it.
func (c clientConfigCommand) sayKey(p *process, to clientconfig.Client, variable string) {
	if !c.PassKey {
		if variable != "" {
			p.note("\n%s is set here. If %s does not pass it to the server, summaries are outlines. --pass-key puts it into the entry.\n", variable, to.Title)
		}
		return
	}
	if to.ReadsEnvironment() {
		p.note("\nThe entry refers to %s. The variable must be set where %s starts.\n", variable, to.Title)
		return
	}
	p.note("\nThe entry contains the key. Keep it secret.\n")
}
