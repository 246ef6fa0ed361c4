package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// keyVariable is the variable with the key that the server will need; "": none.
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

// haveKeyIn reports whether a variable has a key, and not the reference that a
// client should have replaced.
func haveKeyIn(variable string) bool {
	key := strings.TrimSpace(os.Getenv(variable))
	return key != "" && !strings.HasPrefix(key, "${")
}

// noKey is the error of --pass-key where there is none to pass.
func (s summaries) noKey() error {
	cause := "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set here; set the one, or leave --pass-key out for outlines"
	if variable := keyVariables[s.Summarizer]; variable != "" {
		cause = variable + " is not set here; set it, or leave --pass-key out where the server needs none"
	} else if s.Summarizer != "auto" {
		cause = "--summarizer " + s.Summarizer + " uses no key; leave one of the two out"
	}
	return workspace.Errorf(workspace.ErrInvalid, "--pass-key: %s", cause)
}

// claudeCommand is the command line that adds a server to Claude Code. It refers to
// variables by name, which Claude Code replaces when it starts the server: their values
// would be in the list of processes and in its file. An option is between the
// variables and the server's name, which would be taken for another variable.
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
	words = append(words, name, "--", shellQuote(s.Command))
	for _, arg := range s.Args {
		words = append(words, shellQuote(arg))
	}
	return strings.Join(words, " ")
}

// sayKey tells who has a key here how the server gets it, or who can read it.
func (c clientConfigCommand) sayKey(p *process, to clientconfig.Client, variable string) {
	if !c.PassKey {
		if variable != "" {
			p.note("\n%s is set here, for summaries. Where %s does not give it to the server, the server makes outlines: --pass-key puts it into the entry.\n", variable, to.Title)
		}
		return
	}
	if to.ReadsEnvironment() {
		p.note("\nThe entry names %s, which must be set where %s starts.\n", variable, to.Title)
		return
	}
	p.note("\nThe entry has the key in it: keep it to yourself.\n")
}
