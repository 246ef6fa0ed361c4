package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// keyVariable returns the variable with the key that the server will need; "" if it
// needs none or has none.
func (s summaries) keyVariable() (string, error) {
	chosen, _, err := s.choose()
	if err != nil || chosen == nil {
		return "", err
	}
	if variable := keyVariables[chosen.Method]; haveKeyIn(variable) {
		return variable, nil
	}
	return "", nil
}

// haveKeyIn reports whether a variable has a key. A reference that a client should have
// replaced is not a key.
func haveKeyIn(variable string) bool {
	key := strings.TrimSpace(os.Getenv(variable))
	return key != "" && !strings.HasPrefix(key, "${")
}

// noKey returns the error of --pass-key without a key.
func (s summaries) noKey() error {
	cause := "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set here; set one, or leave out --pass-key for outlines"
	if variable := keyVariables[s.Summarizer]; variable != "" {
		cause = variable + " is not set here; set it, or leave out --pass-key if the server needs no key"
	} else if s.Summarizer != "auto" {
		cause = "--summarizer " + s.Summarizer + " uses no key; leave out one of the two"
	}
	return workspace.Errorf(workspace.ErrInvalid, "--pass-key: %s", cause)
}

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
