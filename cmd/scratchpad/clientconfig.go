package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type clientConfigCommand struct {
	Client     string `arg:"" enum:"claude-code,claude-desktop,cursor,vscode,windsurf,codex" help:"One of ${enum}."`
	Write      bool   `help:"Put it into the client's file: all else in it stays, and the file as it was is kept beside it."`
	File       string `type:"path" placeholder:"FILE" help:"The client's file, where it is not in its usual place."`
	PassKey    bool   `help:"Have the client give the server $ANTHROPIC_API_KEY or $OPENAI_API_KEY, whichever is set here, for summaries by a model. The entry refers to the variable; Claude Desktop's has the key itself."`
	ServerName string `default:"scratchpad" placeholder:"NAME" help:"What the client calls it: ${default}."`

	MaxReadTokens number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"20000" placeholder:"N" help:"The most tokens that the server's read_file sends of a file, about: ${default}; 0 is no bound."`
}

// Help is shown by scratchpad client-config --help.
func (clientConfigCommand) Help() string {
	return `It prints what makes a client start this program, on standard output, and where that goes, on standard error. An --agent, a --db, limits, a --durability and a --summarizer given here go into it; a key only with --pass-key. The entry also bounds what read_file sends (--max-read-tokens), because clients hide or cut long answers.

  scratchpad client-config claude-desktop
  scratchpad client-config cursor --agent my-project --write
  scratchpad client-config codex --write
  scratchpad client-config claude-desktop --summarizer outline

The files: claude-code, .mcp.json in this folder; claude-desktop, ~/Library/Application Support/Claude/claude_desktop_config.json on macOS, %APPDATA%\Claude\ on Windows, ~/.config/Claude/ elsewhere; cursor, ~/.cursor/mcp.json; vscode, .vscode/mcp.json in this folder; windsurf, ~/.codeium/windsurf/mcp_config.json; codex, ~/.codex/config.toml.`
}

// Validate is kong's hook.
func (c clientConfigCommand) Validate() error {
	const most = 64
	if strings.Trim(c.ServerName, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || c.ServerName == "" || len(c.ServerName) > most {
		return fmt.Errorf("--server-name must be 1-%d of a-z A-Z 0-9 _ -, not %q", most, c.ServerName)
	}
	return nil
}

// client is a program that starts MCP servers.
type client struct {
	title   string
	file    func(places) string
	format  configFormat
	project bool // the file is in the folder of a project

	reference string // to a variable of the client's, where its file can have one
}

// configFormat writes the entry of a server for one kind of file.
type configFormat interface {
	snippet(name string, s server) string

	// edit returns the content with the server in it, and what it changed.
	edit(old []byte, name string, s server) (content []byte, changed []string, err error)
}

// server is what a client starts.
type server struct {
	Command string   `json:"command" toml:"command"`
	Args    []string `json:"args" toml:"args"`

	Env     map[string]string `json:"env,omitempty" toml:"-"`
	EnvVars []string          `json:"env_vars,omitempty" toml:"env_vars,omitempty"` // Codex's: names that it hands on
}

// places are where a client's file may be.
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

var clients = map[string]client{
	"claude-code":    {"Claude Code", func(places) string { return ".mcp.json" }, jsonConfig{key: "mcpServers"}, true, "${%s}"},
	"claude-desktop": {"Claude Desktop", places.claudeDesktop, jsonConfig{key: "mcpServers"}, false, ""},
	"cursor":         {"Cursor", underHome(".cursor", "mcp.json"), jsonConfig{key: "mcpServers"}, false, "${env:%s}"},
	"vscode":         {"VS Code", func(places) string { return filepath.Join(".vscode", "mcp.json") }, jsonConfig{key: "servers", typed: true}, true, "${env:%s}"},
	"windsurf":       {"Windsurf", underHome(".codeium", "windsurf", "mcp_config.json"), jsonConfig{key: "mcpServers"}, false, "${env:%s}"},
	"codex":          {"Codex", places.codexFile, tomlConfig{}, false, forwarding},
}

// clientConfig is the answer of client-config.
type clientConfig struct {
	Client  string   `json:"client"`
	File    string   `json:"file"`
	Server  server   `json:"server"`
	Snippet string   `json:"snippet"`
	Shell   string   `json:"shell,omitempty"`   // a command that does it
	Changed []string `json:"changed,omitempty"` // in the file
	Backup  string   `json:"backup,omitempty"`  // the file as it was
}

// Run prints the entry for the client, or writes it.
func (c clientConfigCommand) Run(p *process) error {
	if c.File == "-" {
		return workspace.Errorf(workspace.ErrInvalid, "--file is the client's file, which is not standard output; without --write the entry is printed")
	}
	s, err := p.server()
	if err != nil {
		return err
	}
	if c.MaxReadTokens > 0 {
		s.Args = append(s.Args, "--max-read-tokens", fmt.Sprint(c.MaxReadTokens))
	}
	to := clients[c.Client]
	variable, err := p.line.Summaries.keyVariable()
	if err != nil {
		return err
	}
	if c.PassKey && variable == "" {
		return p.line.Summaries.noKey()
	}
	if c.PassKey {
		s.passKey(to, variable)
	}
	a := clientConfig{Client: c.Client, File: c.File, Server: s, Snippet: to.format.snippet(c.ServerName, s)}
	if a.File == "" {
		if a.File, err = usualFile(to); err != nil {
			return err
		}
	}
	if c.Client == "claude-code" {
		words := append([]string{"claude", "mcp", "add"}, s.envWords()...)
		words = append(words, c.ServerName, "--", shellQuote(s.Command))
		for _, arg := range s.Args {
			words = append(words, shellQuote(arg))
		}
		a.Shell = strings.Join(words, " ")
	}
	if isTemporary(s.Command) {
		if c.Write {
			return workspace.Errorf(workspace.ErrInvalid, "%s is gone when go run ends; go install ./cmd/scratchpad first, and run that one", s.Command)
		}
		p.note("Beware: %s is gone when go run ends; go install it, and run that one.\n", s.Command)
	}
	if c.Write {
		return c.write(p, to, a, variable)
	}
	return p.answer(a, func(out io.Writer) error { return c.print(p, to, a, variable, out) })
}

// server is this program with what the command line says of the agent, the
// database, the limits, the durability and the summaries.
func (p *process) server() (server, error) {
	agent, _, err := p.agentName()
	if err != nil {
		return server{}, err
	}
	db, err := p.databasePath(false)
	if err != nil && p.line.DB != nil {
		return server{}, err
	}
	program, err := programPath(os.Args[0])
	if err != nil {
		return server{}, err
	}
	s := server{Command: program, Args: []string{"mcp"}}
	if p.line.DB != nil {
		if db != inMemory {
			if db, err = filepath.Abs(db); err != nil {
				return server{}, err
			}
		}
		s.Args = append(s.Args, "--db", db)
	}
	s.Args = append(s.Args, "--agent", agent)
	s.Args = append(s.Args, p.line.Limits.args()...)
	s.Args = append(s.Args, p.line.Store.args()...)
	s.Args = append(s.Args, p.line.Summaries.args()...)
	if p.line.Durability.Durability != sqlite.Full {
		s.Args = append(s.Args, "--durability", p.line.Durability.String())
	}
	return s, nil
}

// programPath is where this program is, as it was called: a link on the PATH
// stays where the next version will be.
func programPath(called string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	for _, name := range []string{"scratchpad", called} {
		found, err := exec.LookPath(name)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			continue
		}
		if found, err = filepath.Abs(found); err != nil {
			continue
		}
		if other, err := os.Stat(found); err == nil && os.SameFile(info, other) {
			return found, nil
		}
	}
	return self, nil
}

// goBuild has the folders where go run puts programs: one that it removes, and
// the cache.
var goBuild = regexp.MustCompile(`[/\\](go-build[0-9]*|[0-9a-f]{64}-d)[/\\]`)

// isTemporary reports whether go run has made a program.
func isTemporary(program string) bool { return goBuild.MatchString(program) }

// usualFile is where the client looks, as an absolute path.
func usualFile(to client) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil && !to.project {
		return "", workspace.Errorf(workspace.ErrInvalid, "there is no home folder for the file of %s; give it with --file", to.title)
	}
	return filepath.Abs(to.file(places{runtime.GOOS, home, os.Getenv("APPDATA"), os.Getenv("CODEX_HOME")}))
}

// print puts on standard output what can be piped, and the rest on standard error.
func (c clientConfigCommand) print(p *process, to client, a clientConfig, variable string, out io.Writer) error {
	text := a.Snippet
	if a.Shell != "" {
		text = a.Shell + "\n"
		p.note("Run the command below, or put this in %s for all who work in that folder:\n\n%s\n", a.File, a.Snippet)
	} else {
		p.note("Put this in %s, or let --write do it; then start %s again:\n\n", a.File, to.title)
	}
	_, err := io.WriteString(p.screen(out), text)
	c.sayKey(p, to, variable)
	return err
}

func (c clientConfigCommand) write(p *process, to client, a clientConfig, variable string) error {
	mode := fs.FileMode(0o644)
	if c.PassKey && to.reference == "" {
		mode = 0o600
	}
	e, err := editFile(a.File, mode, func(old []byte) (content []byte, err error) {
		content, a.Changed, err = to.format.edit(old, c.ServerName, a.Server)
		return content, err
	})
	if err != nil {
		return err
	}
	if a.File, a.Backup = e.file, e.backup; e.narrowed {
		a.Changed = append(a.Changed, "mode 0600, so that other users cannot read the key")
	}
	a.Server = a.Server.withoutKeys()
	a.Snippet = to.format.snippet(c.ServerName, a.Server)
	return p.answer(a, func(out io.Writer) error {
		c.sayKey(p, to, variable)
		if len(a.Changed) == 0 {
			fmt.Fprintf(out, "nothing to change in %s\n", oneLine(a.File))
			return nil
		}
		fmt.Fprintln(out, oneLine(a.File))
		for _, what := range a.Changed {
			fmt.Fprintf(out, "  %s\n", oneLine(what))
		}
		if a.Backup != "" {
			fmt.Fprintf(out, "The file as it was: %s\n", oneLine(a.Backup))
		}
		fmt.Fprintf(out, "Start %s again.\n", to.title)
		return nil
	})
}

// quoteJSON is a value as JSON on one line.
func quoteJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and lists of strings have no such error
	}
	return strings.TrimSuffix(b.String(), "\n")
}
