package clientconfig

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// A Client is a program that starts MCP servers. [Find] returns one.
type Client struct {
	Name  string // such as "claude-code"
	Title string // such as "Claude Code"

	file       func(places) string
	format     format
	perProject bool // the file is in the folder of a project

	program string                // its name on the PATH; "": it has none
	signs   func(places) []string // files and folders, one of which is there if the client is installed

	// How an entry refers to a variable of the client's environment: a format
	// for the name, or byName. "": it cannot.
	reference string
}

// byName is the reference of a client that passes on the variables that an entry
// names in Server.EnvVars.
const byName = "name"

var clients = []Client{
	{
		"claude-code", "Claude Code", func(places) string { return ".mcp.json" }, jsonFormat{key: "mcpServers",
			remote: typedURL}, true,
		"claude", func(p places) []string { return p.below(".claude", ".claude.json") }, "${%s}",
	},
	{
		"claude-desktop", "Claude Desktop", places.claudeDesktop, jsonFormat{key: "mcpServers"}, false,
		"", func(p places) []string { return []string{filepath.Dir(p.claudeDesktop())} }, "",
	},
	{
		"cursor", "Cursor", underHome(".cursor", "mcp.json"), jsonFormat{key: "mcpServers", remote: plainURL}, false,
		"cursor", func(p places) []string { return p.below(".cursor") }, "${env:%s}",
	},
	{
		"vscode", "VS Code", func(places) string {
			return filepath.Join(".vscode",
				"mcp.json")
		}, jsonFormat{key: "servers", typed: true, remote: typedURL}, true,
		"code", func(p places) []string {
			return append(p.below(".vscode"),
				filepath.Join(p.settings(), "Code"))
		}, "${env:%s}",
	},
	{
		"windsurf", "Windsurf", underHome(".codeium", "windsurf", "mcp_config.json"), jsonFormat{key: "mcpServers",
			remote: remote{key: "serverUrl"}}, false,
		"windsurf", func(p places) []string { return p.below(filepath.Join(".codeium", "windsurf")) }, "${env:%s}",
	},
	{
		"codex", "Codex", places.codexFile, tomlFormat{}, false,
		"codex", func(p places) []string { return []string{filepath.Dir(p.codexFile())} }, byName,
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
func (c Client) File() (string, error) { return c.FileIn("") }

// FileIn is File for another project than the current folder.
func (c Client) FileIn(project string) (string, error) {
	p, err := findPlaces()
	if err != nil && !c.perProject {
		return "", err
	}
	file := c.file(p)
	if c.perProject {
		file = filepath.Join(project, file)
	}
	return filepath.Abs(file)
}

// Installed reports whether the client seems to be on this machine: whether its program
// is on the PATH, or its settings are in the user's home.
func (c Client) Installed() bool {
	if c.program != "" {
		if _, err := exec.LookPath(c.program); err == nil {
			return true
		}
	}
	p, err := findPlaces()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.signs(p), func(name string) bool { _, err := os.Stat(name); return err == nil })
}

// ReadsEnvironment reports whether an entry can refer to a variable of the client's
// own environment. Otherwise [Client.PassVariable] puts the value into the entry.
func (c Client) ReadsEnvironment() bool { return c.reference != "" }

// Snippet returns the client's usual file with nothing but the server, under the given name.
func (c Client) Snippet(name string, s Server) string { return c.format.snippet(name, s) }

// places are the folders that a client's file may be under.
type places struct{ system, home, appData, codex string }

func findPlaces() (places, error) {
	home, err := os.UserHomeDir()
	codex, _ := native.Expand(os.Getenv("CODEX_HOME")) // without a home there is an error in any case
	return places{runtime.GOOS, home, os.Getenv("APPDATA"), codex}, err
}

func underHome(names ...string) func(places) string {
	return func(p places) string { return filepath.Join(append([]string{p.home}, names...)...) }
}

// below returns names below the user's home.
func (p places) below(names ...string) (all []string) {
	for _, name := range names {
		all = append(all, filepath.Join(p.home, name))
	}
	return all
}

// settings is the folder where programs keep the settings of the user.
func (p places) settings() string {
	switch {
	case p.system == "darwin":
		return filepath.Join(p.home, "Library", "Application Support")
	case p.system != "windows":
		return filepath.Join(p.home, ".config")
	case p.appData != "":
		return p.appData
	}
	return filepath.Join(p.home, "AppData", "Roaming")
}

func (p places) claudeDesktop() string {
	return filepath.Join(p.settings(), "Claude", "claude_desktop_config.json")
}

func (p places) codexFile() string {
	if p.codex != "" {
		return filepath.Join(p.codex, "config.toml")
	}
	return filepath.Join(p.home, ".codex", "config.toml")
}
