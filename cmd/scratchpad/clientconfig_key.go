package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// connect makes an entry for a server at a URL.
func (c clientConfigCommand) connect(
	p *process, to clientconfig.Client, a *clientConfig,
) (m clientconfig.Memory, err error) {
	at, err := clientconfig.ParseURL(c.URL)
	if err == nil {
		err = to.CheckVariable(c.KeyVariable)
	}
	if err != nil {
		return m, failure.OfClientFile(err)
	}
	a.Server = to.Connect(at, c.KeyVariable, strings.TrimSpace(os.Getenv(c.KeyVariable)))
	if at.Scheme == "http" && !clientconfig.IsLoopback(at.Hostname()) && c.KeyVariable != "" {
		p.note("Beware: http sends the key without encryption to %s. Use https, unless nobody else is on that "+
			"network.\n", at.Hostname())
	}
	m.Remote = "Memory: that of the agents of the key."
	if c.KeyVariable == "" {
		m.Remote = "Memory: any agent, because the server wants no key."
	}
	return m, nil
}

// claudeCommand returns the command line that adds a server to Claude Code.
func claudeCommand(s clientconfig.Server) string {
	quote := "'"
	if runtime.GOOS == "windows" {
		quote = `"`
	}
	return clientconfig.ClaudeCommand(setup.ServerName, s, "user", native.Quote, quote)
}

// sayKey tells a user with a key how the server or the client gets it.
func (c clientConfigCommand) sayKey(p *process, to clientconfig.Client, variable string) {
	remote, bridge := c.URL != "", c.URL != "" && to.NeedsBridge()
	var says []string
	switch {
	case variable == "":
	case !remote && !c.PassKey:
		says = append(says, fmt.Sprintf("%s is set here. If %s does not pass it to the server, summaries are "+
			"outlines. --pass-key puts it into the entry.", variable, to.Title))
	case bridge || !to.ReadsEnvironment():
		says = append(says, "The entry contains the key. Keep it secret.")
	default:
		how := ""
		if remote {
			how = "; scratchpad keys create makes a key"
		}
		says = append(says, fmt.Sprintf("The entry refers to %s. The variable must be set where %s starts%s.",
			variable, to.Title, how))
	}
	if bridge {
		says = append(says, "The entry starts mcp-remote, for which Node.js must be installed.")
	}
	if len(says) > 0 {
		p.note("\n%s\n", strings.Join(says, " "))
	}
}
