package main

import (
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// maxURL is how many bytes a server's URL may have.
const maxURL = 2000

// connect prints or writes an entry for a server at a URL.
func (c clientConfigCommand) connect(p *process, to clientconfig.Client, a clientConfig) error {
	at, err := parseServerURL(c.URL)
	if err != nil {
		return err
	}
	if err := c.checkVariable(to); err != nil {
		return err
	}
	a.Server = to.Connect(at, c.KeyVariable, strings.TrimSpace(os.Getenv(c.KeyVariable)))
	a.Snippet = to.Snippet(c.ServerName, a.Server)
	if c.Client == "claude-code" {
		a.Shell = claudeCommand(c.ServerName, a.Server)
	}
	if at.Scheme == "http" && !isLoopback(at.Hostname()) && c.KeyVariable != "" {
		p.note("Beware: http sends the key without encryption to %s. Use https, unless nobody else is on that network.\n", at.Hostname())
	}
	m := memory{remote: "Memory: that of the agents of the key."}
	if c.KeyVariable == "" {
		m.remote = "Memory: any agent, because the server wants no key."
	}
	return c.finish(p, to, a, m, c.KeyVariable)
}

// parseServerURL returns the address of a server's MCP.
func parseServerURL(text string) (*url.URL, error) {
	fault := func(what string) error {
		return workspace.Errorf(workspace.ErrInvalid, "--url %s; give one such as https://memory.example.com/mcp", what)
	}
	if len(text) > maxURL {
		return nil, fault("is too long")
	}
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return nil, fault("is not an http or https URL")
	case at.User != nil: // not repeated, because it may be a password
		return nil, fault("has a user in it, and would be written as it is; leave the user out")
	case at.Fragment != "" || at.RawQuery != "" || at.ForceQuery:
		return nil, fault("has a part after ? or #; leave it out")
	}
	if at.Path == "" || at.Path == "/" {
		at.Path = "/mcp"
	}
	return at, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// checkVariable refuses a key in place of its variable, and an entry that must contain
// the key if there is none.
func (c clientConfigCommand) checkVariable(to clientconfig.Client) error {
	name := c.KeyVariable
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(name, "sp_") || !variableName.MatchString(name): // not repeated, because it may be a key
		return workspace.Errorf(workspace.ErrInvalid, "--key-variable is not the name of an environment variable; put the key into a variable, such as SCRATCHPAD_API_KEY, and give its name")
	case !to.NeedsBridge():
		return nil
	}
	key := strings.TrimSpace(os.Getenv(name))
	if key == "" || strings.HasPrefix(key, "${") {
		return workspace.Errorf(workspace.ErrInvalid, "%s cannot refer to its environment, so its entry contains the key; set %s here, or add the server in the settings of %s, under Connectors, if it has an OAuth issuer", to.Title, name, to.Title)
	}
	return nil
}

// sayRemoteKey tells the user how the client gets the key.
func (c clientConfigCommand) sayRemoteKey(p *process, to clientconfig.Client) {
	switch {
	case to.NeedsBridge() && c.KeyVariable == "":
		p.note("\nThe entry starts mcp-remote, for which Node.js must be installed.\n")
	case to.NeedsBridge():
		p.note("\nThe entry contains the key. Keep it secret. It starts mcp-remote, for which Node.js must be installed.\n")
	case c.KeyVariable != "":
		p.note("\nThe entry refers to %s. The variable must be set where %s starts; scratchpad keys create makes a key.\n", c.KeyVariable, to.Title)
	}
}
