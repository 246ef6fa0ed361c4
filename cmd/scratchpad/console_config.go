package main

import (
	"cmp"
	"context"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	keyVariable = "SCRATCHPAD_API_KEY"
	noKey       = "YOUR_KEY"
)

// clientPlaces says where the text for a client goes. The files are on the person's machine,
// whose system nobody knows here.
var clientPlaces = map[string]string{
	"claude-code":    "run this in the folder of the project",
	"claude-desktop": "in claude_desktop_config.json, which Settings, Developer, Edit Config opens",
	"cursor":         "in ~/.cursor/mcp.json",
	"vscode":         "in .vscode/mcp.json in the folder of the project",
	"windsurf":       "in ~/.codeium/windsurf/mcp_config.json",
	"codex":          "in ~/.codex/config.toml",
	"gemini-cli":     "in ~/.gemini/settings.json",
	"opencode":       "in ~/.config/opencode/opencode.json",
	"zed":            "in the settings.json that Zed opens",
	"cline":          "in cline_mcp_settings.json, which Cline opens under MCP Servers",
}

// remoteConfigs returns what connects clients to the MCP of a server at a URL. If the server wants
// a key, the clients read it from a variable, which is set first if the key is known.
func remoteConfigs(url string, wantsKey bool, key string) []console.Config {
	var all []console.Config
	variable := ""
	if wantsKey {
		variable = keyVariable
	}
	if wantsKey && key != "" {
		all = append(all, console.Config{Client: "The key", Where: "in the shell that starts the client",
			Text: "export " + keyVariable + "=" + native.Quote(key) + "\n"})
	}
	for _, name := range clientconfig.Names() {
		c, _ := clientconfig.Find(name)
		if !c.TakesURL() {
			continue
		}
		where := clientPlaces[name]
		switch {
		case wantsKey && !c.ReadsEnvironment():
			where += "; it contains the key"
		case wantsKey:
			where += "; " + keyVariable + " has the key"
		}
		all = append(all, configOf(c, where, c.Connect(url, variable, cmp.Or(key, noKey))))
	}
	return all
}

// localConfigs returns what makes clients on this machine start a server.
func localConfigs(s clientconfig.Server) []console.Config {
	var all []console.Config
	for _, name := range clientconfig.Names() {
		c, _ := clientconfig.Find(name)
		all = append(all, configOf(c, clientPlaces[name], s))
	}
	return all
}

// projectOf returns what Project of [console.Options] does. No name has a folder above the project's.
func projectOf(s workspace.Store) func(context.Context, console.Person, string) (string, error) {
	return func(ctx context.Context, p console.Person, agent string) (string, error) {
		return project.Records{Store: s, Service: p.Service, Tenant: p.Service.TenantName()}.Name(ctx, agent)
	}
}

func configOf(c clientconfig.Client, where string, s clientconfig.Server) console.Config {
	text := c.Snippet(setup.ServerName, s)
	if c.Name == "claude-code" {
		text = clientconfig.ClaudeCommand(setup.ServerName, s, "", native.Quote, "'") + "\n"
	}
	return console.Config{Client: c.Title, Where: where, Text: text}
}
