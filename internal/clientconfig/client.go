package clientconfig

import (
	"os"
	"path/filepath"
	"runtime"
)

// A Client is a program that starts MCP servers. [Find] returns one.
type Client struct {
	Name  string // such as "claude-code"
	Title string // such as "Claude Code"

	file       func(places) string
	format     format
	perProject bool // the file is in the folder of a project

	// How an entry refers to a variable of the client's environment: a format
	// for the name, or byName. "": it cannot.
	reference string
}

// byName is the reference of a client that passes on the variables that an entry
// names in Server.EnvVars.
const byName = "name"

var clients = []Client{
	{"claude-code", "Claude Code", func(places) string { return ".mcp.json" }, jsonFormat{key: "mcpServers"}, true, "${%s}"},
	{"claude-desktop", "Claude Desktop", places.claudeDesktop, jsonFormat{key: "mcpServers"}, false, ""},
	{"cursor", "Cursor", underHome(".cursor", "mcp.json"), jsonFormat{key: "mcpServers"}, false, "${env:%s}"},
	{"vscode", "VS Code", func(places) string { return filepath.Join(".vscode", "mcp.json") }, jsonFormat{key: "servers", typed: true}, true, "${env:%s}"},
	{"windsurf", "Windsurf", underHome(".codeium", "windsurf", "mcp_config.json"), jsonFormat{key: "mcpServers"}, false, "${env:%s}"},
	{"codex", "Codex", places.codexFile, tomlFormat{}, false, byName},
}

// Names returns the names of all clients.
func Names() []string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.Name
	}
	return names
}

// Find returns the client of a name, and whether there is one.
func Find(name string) (Client, bool) {
	for _, c := range clients {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// File returns the absolute path of the client's usual file, which need not exist.
// For Claude Code and VS Code it is in the current folder, which is taken for the
// project's. For the others it is under the user's home; without a home the result
// is an error.
func (c Client) File() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil && !c.perProject {
		return "", err
	}
	return filepath.Abs(c.file(places{runtime.GOOS, home, os.Getenv("APPDATA"), os.Getenv("CODEX_HOME")}))
}

// ReadsEnvironment reports whether an entry can refer to a variable of the client's
// own environment. Otherwise [Client.PassVariable] puts the value into the entry.
func (c Client) ReadsEnvironment() bool { return c.reference != "" }

// Snippet returns a configuration file that has only the server, under the given
// name.
func (c Client) Snippet(name string, s Server) string { return c.format.snippet(name, s) }

// places are the folders that a client's file may be under.
type places struct{ system, home, appData, codex string }

func underHome(names ...string) func(places) string {
	return func(p places) string { return filepath.Join(append([]string{p.home}, names...)...) }
}

func (p places) claudeDesktop() string {
	dir := filepath.Join(p.home, ".config")
	switch p.system {
	case "darwin":
		dir = filepath.Join(p.home, "Library", "Application Support")
	case "windows":
		if dir = p.appData; dir == "" {
			dir = filepath.Join(p.home, "AppData", "Roaming")
		}
	}
	return filepath.Join(dir, "Claude", "claude_desktop_config.json")
}

func (p places) codexFile() string {
	if p.codex != "" {
		return filepath.Join(p.codex, "config.toml")
	}
	return filepath.Join(p.home, ".codex", "config.toml")
}
