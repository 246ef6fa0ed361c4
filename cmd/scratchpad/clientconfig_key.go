package main

import (
	"runtime"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// claudeCommand returns the command line that adds a server to Claude Code.
func claudeCommand(name string, s clientconfig.Server) string {
	quote := "'"
	if runtime.GOOS == "windows" {
		quote = `"`
	}
	return clientconfig.ClaudeCommand(name, s, native.Quote, quote)
}

// sayKey tells a user with a key how the server gets it.
func (c clientConfigCommand) sayKey(p *process, to clientconfig.Client, variable string) {
	if c.URL != "" {
		c.sayRemoteKey(p, to)
		return
	}
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
