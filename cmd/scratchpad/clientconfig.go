package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/database"
	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type clientConfigCommand struct {
	Client      string `arg:"" enum:"${clients}" help:"One of ${enum}."`
	Write       bool   `help:"Write the entry to the client's file. Everything else in the file stays, and a copy of it as it was is kept beside it."`
	File        string `type:"path" placeholder:"FILE" help:"The client's file, if it is not in its usual place."`
	Hook        bool   `help:"Claude Code only: print, or with --write add, a hook in place of the server. At the start of each session it shows the agent what has changed since the session before."`
	PassKey     bool   `help:"Make the client pass $ANTHROPIC_API_KEY or $OPENAI_API_KEY, whichever is set here, for summaries by a model. The entry refers to the variable; for Claude Desktop it contains the key itself."`
	URL         string `name:"url" placeholder:"URL" help:"Connect to the server at this URL instead of starting this program. Without a path, /mcp is added."`
	KeyVariable string `default:"SCRATCHPAD_API_KEY" placeholder:"NAME" help:"With --url: the environment variable of the client that has the API key. Give an empty name for a server that wants no key. Default: ${default}."`
	ServerName  string `default:"scratchpad" placeholder:"NAME" help:"The name of the server in the client. Default: ${default}."`

	Tools         toolSet      `enum:"storage,memory,all" default:"storage" placeholder:"storage|memory|all" help:"Which tools the server has, as for scratchpad mcp. Default: ${default}."`
	MaxReadTokens flags.Number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"20000" placeholder:"N" help:"About how many tokens of a file the server's read_file sends at most. 0: no limit. Default: ${default}."`
}

// Help is shown by scratchpad client-config --help.
func (clientConfigCommand) Help() string {
	return `The command prints the entry for the client on standard output, and says on standard error where it goes. The entry contains the --agent, --tenant, --db, limits, --paths and --summarizer that you give here; a key only with --pass-key. It also limits what read_file sends (--max-read-tokens), because clients hide or cut long answers.

  scratchpad client-config claude-desktop
  scratchpad client-config claude-code --write
  scratchpad client-config claude-code --hook --write
  scratchpad client-config cursor --agent my-project --write
  scratchpad client-config codex --write
  scratchpad client-config claude-desktop --summarizer outline

With --url, the client uses a server that scratchpad serve runs, and an API key that scratchpad keys create makes. The key says whose memory it is, so --agent, --tenant, --db and limits have no meaning here. The entry names the variable with the key and does not contain the key, so it can be committed. Claude Desktop has no servers at a URL in its file: there the entry starts mcp-remote, for which Node.js is needed, and contains the key.

  scratchpad client-config vscode --url https://memory.example.com --write
  SCRATCHPAD_API_KEY=sp_... scratchpad client-config claude-desktop --url https://memory.example.com

Without --agent, a file that belongs to a project (.mcp.json, .cursor/mcp.json, .vscode/mcp.json) gets the memory of that project. Its agent has the name of the folder, so all clients of the project share it. If another folder of that name has the agent, a part of the path's hash is added. --write records whose it is. A file that is the user's own gets the agent default.

The hook goes into .claude/settings.local.json in this folder. It uses the memory that .mcp.json names there.

These are the usual files:

  claude-code     .mcp.json in this folder
  claude-desktop  claude_desktop_config.json in %APPDATA%\Claude on Windows,
                  ~/Library/Application Support/Claude on macOS,
                  ~/.config/Claude elsewhere
  cursor          ~/.cursor/mcp.json
  vscode          .vscode/mcp.json in this folder
  windsurf        ~/.codeium/windsurf/mcp_config.json
  codex           ~/.codex/config.toml`
}

// Validate is kong's hook.
func (c clientConfigCommand) Validate() error {
	const most = 64
	if strings.Trim(c.ServerName, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || c.ServerName == "" || len(c.ServerName) > most {
		return fmt.Errorf("--server-name must be 1-%d of a-z A-Z 0-9 _ -, not %q", most, c.ServerName)
	}
	return nil
}

// clientConfig is the answer of the command.
type clientConfig struct {
	Client  string              `json:"client"`
	File    string              `json:"file"`
	Agent   string              `json:"agent_id,omitempty"` // with --url the key says it
	Tenant  string              `json:"tenant,omitempty"`   // "": the default
	Project string              `json:"project,omitempty"`  // the folder whose memory it is
	Server  clientconfig.Server `json:"server,omitzero"`
	Hook    string              `json:"hook,omitempty"` // a command line
	Snippet string              `json:"snippet"`
	Shell   string              `json:"shell,omitempty"`   // a command that adds the server
	Changed []string            `json:"changed,omitempty"` // what has changed in the file
	Backup  string              `json:"backup,omitempty"`  // the copy of the file as it was
}

// Run prints the entry for the client, or writes it.
func (c clientConfigCommand) Run(p *process) error {
	to, _ := clientconfig.Find(c.Client)
	variable, err := c.check(p)
	if err != nil {
		return err
	}
	a := clientConfig{Client: c.Client, File: c.File}
	switch {
	case a.File != "":
	case c.Hook:
		a.File, err = filepath.Abs(clientconfig.HookFile(""))
	default:
		a.File, err = to.File()
	}
	if err != nil {
		return workspace.Errorf(workspace.ErrInvalid, "%v; name the file of %s with --file", err, to.Title)
	}
	if c.URL != "" {
		return c.connect(p, to, a)
	}
	m, err := p.memoryOf(a.File)
	if err != nil {
		return err
	}
	s, err := p.server(m, int64(c.MaxReadTokens))
	if err != nil {
		return err
	}
	if c.Tools != storageTools {
		s.Args = append(s.Args, "--tools", string(c.Tools))
	}
	if err := c.checkProgram(p, s.Command); err != nil {
		return err
	}
	if c.Write {
		if err := p.takeMemory(m); err != nil {
			return err
		}
	}
	a.Agent, a.Tenant, a.Project = m.Agent, m.Tenant, m.Project
	if c.Hook {
		a.Hook = hookCommand(s)
		a.Snippet = clientconfig.HookSnippet(a.Hook)
		return c.finish(p, to, a, m, "")
	}
	if c.PassKey {
		s = to.PassVariable(s, variable, os.Getenv(variable))
	}
	if c.Client == "claude-code" {
		a.Shell = claudeCommand(c.ServerName, s)
	}
	a.Server, a.Snippet = s, to.SnippetFor(a.File, c.ServerName, s)
	return c.finish(p, to, a, m, variable)
}

// check looks at the flags. It returns the variable with the key for summaries.
func (c clientConfigCommand) check(p *process) (variable string, err error) {
	switch {
	case c.URL != "" && (c.Hook || c.PassKey):
		return "", workspace.Errorf(workspace.ErrInvalid, "--hook and --pass-key are for a server on this machine; leave them out, or --url")
	case c.URL != "" && c.Tools != storageTools:
		return "", workspace.Errorf(workspace.ErrInvalid, "with --url the server says which tools it has; leave --tools out, and give it to scratchpad serve")
	case c.URL != "" && (p.agentNamed || p.tenantNamed):
		return "", workspace.Errorf(workspace.ErrInvalid, "with --url the key says whose memory it is; leave --agent and --tenant out, and give them to scratchpad keys create")
	case c.File == "-":
		return "", workspace.Errorf(workspace.ErrInvalid, "--file names the client's file, which cannot be standard output; leave out --file and --write to print the entry")
	case c.Hook && c.Client != "claude-code":
		return "", workspace.Errorf(workspace.ErrInvalid, "--hook is for claude-code, not %s; leave it out", c.Client)
	case c.Hook && c.PassKey:
		return "", workspace.Errorf(workspace.ErrInvalid, "--pass-key is for the server, and --hook is not; leave out one of the two")
	}
	if c.URL != "" {
		return c.KeyVariable, nil
	}
	variable, err = p.line.Summaries.KeyVariable()
	if err == nil && c.PassKey && variable == "" {
		err = p.line.Summaries.NoKey()
	}
	return variable, err
}

// checkProgram returns an error if a client's file would name a program that will be
// gone soon.
func (c clientConfigCommand) checkProgram(p *process, program string) error {
	if !native.IsTemporary(program) {
		return nil
	}
	if c.Write {
		return workspace.Errorf(workspace.ErrInvalid, "%s is gone when go run ends; run go install ./cmd/scratchpad first, and then the installed program", program)
	}
	return p.note("Beware: %s is gone when go run ends. Run go install ./cmd/scratchpad, and then the installed program.\n", program)
}

// finish writes the entry to the file, or prints it.
func (c clientConfigCommand) finish(p *process, to clientconfig.Client, a clientConfig, m clientconfig.Memory, variable string) error {
	if c.Write {
		return c.write(p, to, a, m, variable)
	}
	return p.answer(a, func(out io.Writer) error { return c.print(p, to, a, m, variable, out) })
}

// hookCommand returns the command line of the hook that goes with a server. Claude Code runs
// it by sh, on Windows by the bash of Git, which takes paths with slashes.
func hookCommand(s clientconfig.Server) string {
	var args []string
	for i, arg := range s.Args {
		if (arg == "--db" || arg == "--tenant" || arg == "--agent") && i+1 < len(s.Args) {
			args = append(args, arg, native.QuoteSh(filepath.ToSlash(s.Args[i+1])))
		}
	}
	return clientconfig.HookCommand(native.QuoteSh(filepath.ToSlash(s.Command)), args...)
}

// server returns this program with a memory and the flags of the database, the limits,
// the summaries and the answers.
func (p *process) server(m clientconfig.Memory, maxReadTokens int64) (clientconfig.Server, error) {
	db, err := p.databasePath(false)
	if err != nil && p.line.DB != nil {
		return clientconfig.Server{}, err
	}
	program, err := native.Program(os.Args[0])
	if err != nil {
		return clientconfig.Server{}, err
	}
	s := clientconfig.Server{Command: program, Args: []string{"mcp"}}
	if p.line.DB != nil {
		if db != database.InMemory && !pgurl.Is(db) {
			if db, err = filepath.Abs(db); err != nil {
				return clientconfig.Server{}, err
			}
		}
		s.Args = append(s.Args, "--db", db)
	}
	if m.Tenant != "" {
		s.Args = append(s.Args, "--tenant", m.Tenant)
	}
	s.Args = append(s.Args, "--agent", m.Agent)
	s.Args = append(s.Args, p.line.Postgres.Args()...)
	s.Args = append(s.Args, p.line.Limits.Args()...)
	s.Args = append(s.Args, p.line.Store.Args()...)
	s.Args = append(s.Args, p.line.Summaries.Args()...)
	if p.line.Paths.PathRule != workspace.ASCIIPaths {
		s.Args = append(s.Args, "--paths", p.line.Paths.String())
	}
	if maxReadTokens > 0 {
		s.Args = append(s.Args, "--max-read-tokens", fmt.Sprint(maxReadTokens))
	}
	return s, nil
}

// print writes the entry to standard output and all else to standard error.
func (c clientConfigCommand) print(p *process, to clientconfig.Client, a clientConfig, m clientconfig.Memory, variable string, out io.Writer) error {
	p.note("%s\n", terminal.OneLine(m.String()))
	text := a.Snippet
	if a.Shell != "" {
		text = a.Shell + "\n"
		p.note("Run the command below. Or put this into %s, for everybody who works in that folder; --write does that:\n\n%s\n", a.File, a.Snippet)
	} else {
		p.note("Put this into %s, or run the command again with --write. Then restart %s:\n\n", a.File, to.Title)
	}
	_, err := io.WriteString(p.screen(out), text)
	c.sayKey(p, to, variable)
	return err
}

func (c clientConfigCommand) write(p *process, to clientconfig.Client, a clientConfig, m clientconfig.Memory, variable string) error {
	change := to.AddServer(a.File, c.ServerName, a.Server)
	if c.Hook {
		change = clientconfig.AddHook(a.File, a.Hook)
	}
	if c.File == "" {
		project, err := clientconfig.Project(a.File)
		if err != nil {
			return err
		}
		change = change.Inside(project)
	}
	r, err := change.Write()
	if err != nil {
		return ofClientFile(err)
	}
	if a.File, a.Backup, a.Changed = r.File, r.Backup, r.Changed; r.Private {
		a.Changed = append(a.Changed, "mode 0600, so that other users cannot read the key")
	}
	if !c.Hook {
		a.Server = a.Server.Redacted()
		a.Snippet = to.SnippetFor(a.File, c.ServerName, a.Server)
	}
	return p.answer(a, func(out io.Writer) error {
		c.sayKey(p, to, variable)
		if len(a.Changed) == 0 {
			_, err := fmt.Fprintf(out, "nothing to change in %s\n%s\n", terminal.OneLine(a.File), terminal.OneLine(m.String()))
			return err
		}
		fmt.Fprintln(out, terminal.OneLine(a.File))
		for _, what := range a.Changed {
			fmt.Fprintf(out, "  %s\n", terminal.OneLine(what))
		}
		if a.Backup != "" {
			fmt.Fprintf(out, "A copy of the file as it was: %s\n", terminal.OneLine(a.Backup))
		}
		_, err := fmt.Fprintf(out, "%s\nRestart %s.\n", terminal.OneLine(m.String()), to.Title)
		return err
	})
}

// ofClientFile gives an error of package clientconfig its exit code, and names the
// flag that is a way out.
func ofClientFile(err error) error {
	if errors.Is(err, clientconfig.ErrTaken) {
		err = fmt.Errorf("%w; give another name with --server-name, or remove that one", err)
	}
	return failure.OfClientFile(err)
}
