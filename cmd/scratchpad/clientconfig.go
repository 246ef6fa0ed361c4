package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type clientConfigCommand struct {
	Client     string `arg:"" enum:"${clients}" help:"One of ${enum}."`
	Write      bool   `help:"Write the entry to the client's file. Everything else in the file stays, and a copy of it as it was is kept beside it."`
	File       string `type:"path" placeholder:"FILE" help:"The client's file, if it is not in its usual place."`
	PassKey    bool   `help:"Make the client pass $ANTHROPIC_API_KEY or $OPENAI_API_KEY, whichever is set here, for summaries by a model. The entry refers to the variable; for Claude Desktop it contains the key itself."`
	ServerName string `default:"scratchpad" placeholder:"NAME" help:"The name of the server in the client. Default: ${default}."`

	MaxReadTokens number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"20000" placeholder:"N" help:"About how many tokens of a file the server's read_file sends at most. 0: no limit. Default: ${default}."`
}

// Help is shown by scratchpad client-config --help.
func (clientConfigCommand) Help() string {
	return `The command prints the entry for the client on standard output, and says on standard error where it goes. The entry contains the --agent, --db, limits, --durability and --summarizer that you give here; a key only with --pass-key. It also limits what read_file sends (--max-read-tokens), because clients hide or cut long answers.

  scratchpad client-config claude-desktop
  scratchpad client-config cursor --agent my-project --write
  scratchpad client-config codex --write
  scratchpad client-config claude-desktop --summarizer outline

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
	Server  clientconfig.Server `json:"server"`
	Snippet string              `json:"snippet"`
	Shell   string              `json:"shell,omitempty"`   // a command that adds the server
	Changed []string            `json:"changed,omitempty"` // what has changed in the file
	Backup  string              `json:"backup,omitempty"`  // the copy of the file as it was
}

// Run prints the entry for the client, or writes it.
func (c clientConfigCommand) Run(p *process) error {
	if c.File == "-" {
		return workspace.Errorf(workspace.ErrInvalid, "--file names the client's file, which cannot be standard output; leave out --file and --write to print the entry")
	}
	s, err := p.server()
	if err != nil {
		return err
	}
	if c.MaxReadTokens > 0 {
		s.Args = append(s.Args, "--max-read-tokens", fmt.Sprint(c.MaxReadTokens))
	}
	to, _ := clientconfig.Find(c.Client)
	variable, err := p.line.Summaries.keyVariable()
	if err != nil {
		return err
	}
	if c.PassKey && variable == "" {
		return p.line.Summaries.noKey()
	}
	if c.PassKey {
		s = to.PassVariable(s, variable, os.Getenv(variable))
	}
	a := clientConfig{Client: c.Client, File: c.File, Server: s, Snippet: to.Snippet(c.ServerName, s)}
	if a.File == "" {
		if a.File, err = to.File(); err != nil {
			return workspace.Errorf(workspace.ErrInvalid, "%v; name the file of %s with --file", err, to.Title)
		}
	}
	if c.Client == "claude-code" {
		a.Shell = claudeCommand(c.ServerName, s)
	}
	if isTemporary(s.Command) {
		if c.Write {
			return workspace.Errorf(workspace.ErrInvalid, "%s is gone when go run ends; run go install ./cmd/scratchpad first, and then the installed program", s.Command)
		}
		p.note("Beware: %s is gone when go run ends. Run go install ./cmd/scratchpad, and then the installed program.\n", s.Command)
	}
	if c.Write {
		return c.write(p, to, a, variable)
	}
	return p.answer(a, func(out io.Writer) error { return c.print(p, to, a, variable, out) })
}

// server returns this program with the flags of the agent, the database, the limits,
// the durability and the summaries.
func (p *process) server() (clientconfig.Server, error) {
	agent, _, err := p.agentName()
	if err != nil {
		return clientconfig.Server{}, err
	}
	db, err := p.databasePath(false)
	if err != nil && p.line.DB != nil {
		return clientconfig.Server{}, err
	}
	program, err := programPath(os.Args[0])
	if err != nil {
		return clientconfig.Server{}, err
	}
	s := clientconfig.Server{Command: program, Args: []string{"mcp"}}
	if p.line.DB != nil {
		if db != inMemory {
			if db, err = filepath.Abs(db); err != nil {
				return clientconfig.Server{}, err
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

// print writes the entry to standard output and all else to standard error.
func (c clientConfigCommand) print(p *process, to clientconfig.Client, a clientConfig, variable string, out io.Writer) error {
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

func (c clientConfigCommand) write(p *process, to clientconfig.Client, a clientConfig, variable string) error {
	r, err := to.Write(a.File, c.ServerName, a.Server)
	if err != nil {
		return ofClientFile(err)
	}
	if a.File, a.Backup, a.Changed = r.File, r.Backup, r.Changed; r.Private {
		a.Changed = append(a.Changed, "mode 0600, so that other users cannot read the key")
	}
	a.Server = a.Server.Redacted()
	a.Snippet = to.Snippet(c.ServerName, a.Server)
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
			fmt.Fprintf(out, "A copy of the file as it was: %s\n", oneLine(a.Backup))
		}
		fmt.Fprintf(out, "Restart %s.\n", to.Title)
		return nil
	})
}

// errByHand says that the user must edit a client's file.
var errByHand = clientconfig.ErrByHand

// ofClientFile gives an error of package clientconfig its exit code, and names the
// flag that is a way out.
func ofClientFile(err error) error {
	if errors.Is(err, clientconfig.ErrTaken) {
		err = fmt.Errorf("%w; give another name with --server-name, or remove that one", err)
	}
	for _, k := range []struct{ is, kind error }{
		{clientconfig.ErrInvalid, workspace.ErrInvalid},
		{clientconfig.ErrTaken, workspace.ErrConflict},
		{clientconfig.ErrChanged, workspace.ErrConflict},
		{clientconfig.ErrBusy, workspace.ErrBusy},
	} {
		if errors.Is(err, k.is) {
			return ofKind{err, k.kind}
		}
	}
	return err
}

// ofKind is an error with one more kind, which its text does not show.
type ofKind struct {
	error
	kind error
}

func (e ofKind) Unwrap() []error { return []error{e.error, e.kind} }
