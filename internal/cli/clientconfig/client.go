package clientconfig

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// A Client is a program that starts MCP servers. [Find] returns one.
type Client struct {
	Name  string // such as "claude-code"
	Title string // such as "Claude Code"

	// file is a path. Without ~ or $ at its beginning it is in the folder of a project.
	file   string
	format format

	program string   // its name on the PATH; "": it has none
	signs   []string // files and folders, one of which is there if the client is installed

	// How an entry refers to a variable of the client's environment: a format
	// for the name, or byName. "": it cannot.
	reference string
}

// byName is the reference of a client that passes on the variables that an entry
// names in Server.EnvVars.
const byName = "name"

// Paths begin with ~ for the user's home, $SETTINGS for the folder where programs keep the
// settings of the user, and $CODEX for that of Codex.
var clients = []Client{
	{
		"claude-code", "Claude Code", ".mcp.json", jsonFormat{key: "mcpServers", url: "url", typeURL: true},
		"claude", []string{"~/.claude", "~/.claude.json"}, "${%s}",
	},
	{
		"claude-desktop", "Claude Desktop", "$SETTINGS/Claude/claude_desktop_config.json",
		jsonFormat{key: "mcpServers"},
		"", []string{"$SETTINGS/Claude"}, "",
	},
	{
		"cursor", "Cursor", "~/.cursor/mcp.json", jsonFormat{key: "mcpServers", url: "url"},
		"cursor", []string{"~/.cursor"}, "${env:%s}",
	},
	{
		"vscode", "VS Code", ".vscode/mcp.json", jsonFormat{key: "servers", typed: true, url: "url", typeURL: true},
		"code", []string{"~/.vscode", "$SETTINGS/Code"}, "${env:%s}",
	},
	{
		"windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", jsonFormat{key: "mcpServers", url: "serverUrl"},
		"windsurf", []string{"~/.codeium/windsurf"}, "${env:%s}",
	},
	{
		"codex", "Codex", "$CODEX/config.toml", tomlFormat{},
		"codex", []string{"$CODEX"}, byName,
	},
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
	i := slices.IndexFunc(clients, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return clients[i], true
}

// File returns the absolute path of the client's usual file, which need not exist.
// For Claude Code and VS Code it is in the current folder, which is taken for the
// project's. For the others it is under the user's home; without a home the result
// is an error.
func (c Client) File() (string, error) { return c.FileIn("") }

// FileIn is File for another project than the current folder.
func (c Client) FileIn(project string) (string, error) {
	file, isOwn, err := expand(c.file, runtime.GOOS)
	if err != nil && isOwn {
		return "", err
	}
	if !isOwn {
		file = filepath.Join(project, file)
	}
	return filepath.Abs(file)
}

// Installed reports whether the client seems to be on this machine: whether its program
// is on the PATH, or its settings are in the user's home.
func (c Client) Installed() bool {
	if _, err := exec.LookPath(c.program); err == nil {
		return true
	}
	return slices.ContainsFunc(c.signs, func(name string) bool {
		name, _, err := expand(name, runtime.GOOS)
		if err == nil {
			_, err = os.Stat(name)
		}
		return err == nil
	})
}

// ReadsEnvironment reports whether an entry can refer to a variable of the client's
// own environment. Otherwise [Client.PassVariable] puts the value into the entry.
func (c Client) ReadsEnvironment() bool { return c.reference != "" }

// Snippet returns the client's usual file with nothing but the server, under the given name.
func (c Client) Snippet(name string, s Server) string {
	content, _, err := c.AddServer("", name, s).edit(nil)
	if err != nil {
		panic(err) // nothing can be wrong with an empty file
	}
	return string(content)
}

// expand replaces the beginning of a path in the table of clients, and reports whether the
// path is the user's own.
func expand(path, system string) (expanded string, isOwn bool, err error) {
	home, err := os.UserHomeDir()
	root, rest, _ := strings.Cut(path, "/")
	switch root {
	case "~":
		root = home
	case "$SETTINGS":
		root = settings(home, system)
	case "$CODEX":
		if root, _ = native.Expand(os.Getenv("CODEX_HOME")); root == "" {
			root = filepath.Join(home, ".codex")
		}
	default:
		return filepath.FromSlash(path), false, err
	}
	return filepath.Join(root, rest), true, err
}

// settings is the folder where programs keep the settings of the user.
func settings(home, system string) string {
	appData := os.Getenv("APPDATA")
	switch {
	case system == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	case system != "windows":
		return filepath.Join(home, ".config")
	case appData != "":
		return appData
	}
	return filepath.Join(home, "AppData", "Roaming")
}
