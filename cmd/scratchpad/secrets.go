package main

import "github.com/agent-scratchpad/scratchpad/workspace"

// secretsNote is what a command says of secrets that were stored.
func secretsNote(s *workspace.Secrets) string {
	if s == nil {
		return ""
	}
	return "; " + s.Text() + ": " + s.Remove + " removes it"
}
