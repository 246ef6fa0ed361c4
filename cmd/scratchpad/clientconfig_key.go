package main

import (
	"os"
	"runtime"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// connect prints an entry for a server at a URL.
func (c clientConfigCommand) connect(p *process, to clientconfig.Client, a clientConfig) error {
	at, err := clientconfig.ParseURL(c.URL)
	if err == nil {
		err = to.CheckVariable(c.KeyVariable)
	}
	if err != nil {
		return failure.OfClientFile(err)
	}
	a.Server = to.Connect(at, c.KeyVariable, strings.TrimSpace(os.Getenv(c.KeyVariable)))
	a.Snippet = to.Snippet(setup.ServerName, a.Server)
	if c.Client == "claude-code" {
		a.Shell = claudeCommand(a.Server)
	}
	if at.Scheme == "http" && !clientconfig.IsLoopback(at.Hostname()) && c.KeyVariable != "" {
		p.note("Beware: http sends the key without encryption to %s. Use https, unless nobody else is on that "+
			"network.\n",
			at.Hostname())
	}
	m := clientconfig.Memory{Remote: "Memory: that of the agents of the key."}
	if c.KeyVariable == "" {
		m.Remote = "Memory: any agent, because the server wants no key."
	}
	return c.finish(p, to, a, m, c.KeyVariable)
}

// claudeCommand returns the command line that adds a server to Claude Code.
func claudeCommand(s clientconfig.Server) string {
	quote := "'"
	if runtime.GOOS == "windows" {
		quote = `"`
	}
	return clientconfig.ClaudeCommand(setup.ServerName, s, native.Quote, quote)
}

// sayKey tells a user with a key how the server gets it.
func (c clientConfigCommand) sayKey(p *process, to clientconfig.Client, variable string) {
	if c.URL != "" {
		c.sayRemoteKey(p, to)
		return
	}
	if !c.PassKey {
		if variable != "" {
			p.note("\n%s is set here. If %s does not pass it to the server, summaries are outlines. --pass-key puts "+
				"it into "+
				"the entry.\n", variable, to.Title)
		}
		return
	}
	if to.ReadsEnvironment() {
		p.note("\nThe entry refers to %s. The variable must be set where %s starts.\n", variable, to.Title)
		return
	}
	p.note("\nThe entry contains the key. Keep it secret.\n")
}

// sayRemoteKey tells the user how the client gets the key.
func (c clientConfigCommand) sayRemoteKey(p *process, to clientconfig.Client) {
	switch {
	case to.NeedsBridge() && c.KeyVariable == "":
		p.note("\nThe entry starts mcp-remote, for which Node.js must be installed.\n")
	case to.NeedsBridge():
		p.note("\nThe entry contains the key. Keep it secret. It starts mcp-remote, for which Node.js must be " +
			"installed.\n")
	case c.KeyVariable != "":
		p.note("\nThe entry refers to %s. The variable must be set where %s starts; scratchpad keys create makes a "+
			"key.\n",
			c.KeyVariable, to.Title)
	}
}
