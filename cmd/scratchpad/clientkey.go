package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// forwarding is the reference of a client that is told the names of variables.
const forwarding = "name"

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

// passKey has the client give the server a variable. The key itself stands in the
// entry only of a client that cannot refer to its own environment.
func (s *server) passKey(to client, variable string) {
	switch {
	case to.reference == forwarding:
		s.EnvVars = []string{variable}
	case to.reference != "":
		s.Env = map[string]string{variable: fmt.Sprintf(to.reference, variable)}
	default:
		s.Env = map[string]string{variable: os.Getenv(variable)}
	}
}

// withoutKeys is the server as it may be shown where nobody asked for a key.
func (s server) withoutKeys() server {
	s.Env = maps.Clone(s.Env)
	for name, value := range s.Env {
		if !strings.HasPrefix(value, "${") {
			s.Env[name] = "(hidden)"
		}
	}
	return s
}

// envWords are those of claude mcp add. They name the variable, which Claude Code
// puts in when it starts the server: a key would stand in the list of processes and
// in its file. An option stands between them and the name, which would be taken for
// another variable.
func (s server) envWords() (words []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if runtime.GOOS == "windows" {
			words = append(words, "--env", fmt.Sprintf(`"%s=${%s}"`, name, name))
		} else {
			words = append(words, "--env", fmt.Sprintf(`'%s=${%s}'`, name, name))
		}
	}
	if words != nil {
		words = append(words, "--transport", "stdio")
	}
	return words
}

// sayKey tells who has a key here how the server gets it, or who can read it.
func (c clientConfigCommand) sayKey(p *process, to client, variable string) {
	if !c.PassKey {
		if variable != "" {
			p.note("\n%s is set here, for summaries. Where %s does not give it to the server, the server makes outlines: --pass-key puts it into the entry.\n", variable, to.title)
		}
		return
	}
	if to.reference != "" {
		p.note("\nThe entry names %s, which must be set where %s starts.\n", variable, to.title)
		return
	}
	p.note("\nThe entry has the key in it: keep it to yourself.\n")
}
