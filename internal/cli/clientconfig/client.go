package clientconfig

import (
	"cmp"
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

	Folder string // what stands in an entry for the folder that it works in; "": its servers cannot know
	ByHand bool   // the user edits the file, because its place and its form are known from hearsay only

	file   string // the user's own
	shared string // the one in the folder of a project, which its repository may have; "": none
	hooks  string // the file of the user that has the hooks; "": none
	format format

	program string // its name on the PATH; "": it has none

	// How an entry refers to a variable of the client's environment: a format
	// for the name, or byName. "": it cannot.
	reference string
}

// byName is the reference of a client that passes on the variables that an entry
// names in Server.EnvVars.
const byName = "name"

// Paths begin with ~ for the user's home, or with the name of a folder, for which see expand.
var clients = []Client{
	{
		Name: "claude-code", Title: "Claude Code", file: "$CLAUDEJSON/.claude.json", shared: ".mcp.json",
		hooks: "$CLAUDE/settings.json", format: jsonFormat{key: "mcpServers", url: "url", http: "http"},
		Folder: ".", program: "claude", reference: "${%s}",
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", file: "$SETTINGS/Claude/claude_desktop_config.json",
		format: jsonFormat{key: "mcpServers"},
	},
	{
		Name: "cursor", Title: "Cursor", file: "~/.cursor/mcp.json", shared: ".cursor/mcp.json",
		format:  jsonFormat{key: "mcpServers", url: "url"},
		program: "cursor", reference: "${env:%s}",
	},
	{
		Name: "vscode", Title: "VS Code", file: "$SETTINGS/Code/User/mcp.json", shared: ".vscode/mcp.json",
		format: jsonFormat{key: "servers", kind: "stdio", url: "url", http: "http"},
		Folder: WorkspaceFolder, program: "code", reference: "${env:%s}",
	},
	{
		Name: "codex", Title: "Codex", file: "$CODEX/config.toml", hooks: "$CODEX/hooks.json", format: tomlFormat{},
		Folder: ".", program: "codex", reference: byName,
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", file: "~/.gemini/settings.json",
		format: jsonFormat{key: "mcpServers", url: "httpUrl"},
		Folder: ".", program: "gemini", reference: "${%s}",
	},
	{
		Name: "opencode", Title: "OpenCode", file: "$XDG/opencode/opencode.json",
		format: jsonFormat{key: "mcp", kind: "local", url: "url", http: "remote", list: true, env: "environment"},
		Folder: ".", program: "opencode", reference: "{env:%s}",
	},
	{
		Name: "zed", Title: "Zed", file: "$ZED/settings.json",
		format:  jsonFormat{key: "context_servers", url: "url"},
		program: "zed",
	},
	{
		Name: "windsurf", Title: "Windsurf", file: "~/.codeium/windsurf/mcp_config.json", ByHand: true,
		format:  jsonFormat{key: "mcpServers", url: "serverUrl"},
		program: "windsurf", reference: "${env:%s}",
	},
	{
		Name: "cline", Title: "Cline", file: "~/.cline/data/settings/cline_mcp_settings.json", ByHand: true,
		format:  jsonFormat{key: "mcpServers", url: "url", http: "streamableHttp"},
		program: "cline",
	},
}

// WorkspaceFolder stands for the folder that an editor has open, in its files.
const WorkspaceFolder = "${workspaceFolder}"

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

// File returns the absolute path of the user's own file of the client, which need not
// exist. Without a home the result is an error.
func (c Client) File() (string, error) {
	file, err := expand(c.file, runtime.GOOS)
	if c.Name == "opencode" && !isThere(file) && isThere(file+"c") { // the same with comments
		file += "c"
	}
	return file, err
}

// ProjectFile returns the path of the client's file in the folder of a project; "" if it
// has none.
func (c Client) ProjectFile(folder string) string {
	if c.shared == "" {
		return ""
	}
	return filepath.Join(folder, filepath.FromSlash(c.shared))
}

// HookFile returns the absolute path of the user's own file of the client with the hooks; ""
// if it has none, or without a home.
func (c Client) HookFile() string {
	file, err := expand(c.hooks, runtime.GOOS)
	if c.hooks == "" || err != nil {
		return ""
	}
	return file
}

// Installed reports whether the client seems to be on this machine: whether its program
// is on the PATH, or the folder with its settings, or with its hooks, is in the user's home.
func (c Client) Installed() bool {
	if _, err := exec.LookPath(c.program); err == nil {
		return true
	}
	name, err := expand(cmp.Or(c.hooks, c.file), runtime.GOOS)
	return err == nil && isThere(filepath.Dir(name))
}

func isThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
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

// inVariables are the beginnings of paths in the table of clients: the folder that a variable names, else
// one below the user's home.
var inVariables = map[string]struct{ variable, below string }{
	"$CODEX":      {"CODEX_HOME", ".codex"},
	"$CLAUDE":     {"CLAUDE_CONFIG_DIR", ".claude"},
	"$CLAUDEJSON": {"CLAUDE_CONFIG_DIR", ""},
	"$XDG":        {"XDG_CONFIG_HOME", ".config"},
	"$APPDATA":    {"APPDATA", "AppData/Roaming"},
	"~":           {},
}

// bySystem are beginnings that a system has its own folders for; "" is for all other systems.
var bySystem = map[string]map[string]string{
	"$SETTINGS": {"windows": "$APPDATA", "darwin": "~/Library/Application Support", "": "~/.config"},
	"$ZED":      {"windows": "$APPDATA/Zed", "darwin": "~/.config/zed", "": "$XDG/zed"},
}

// expand replaces the beginning of a path in the table of clients.
func expand(path, system string) (string, error) {
	root, rest, _ := strings.Cut(path, "/")
	if folders, is := bySystem[root]; is {
		return expand(cmp.Or(folders[system], folders[""])+"/"+rest, system)
	}
	in := inVariables[root]
	if dir, _ := native.Expand(os.Getenv(in.variable)); dir != "" {
		return filepath.Join(dir, filepath.FromSlash(rest)), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, filepath.FromSlash(in.below), filepath.FromSlash(rest)), err
}
