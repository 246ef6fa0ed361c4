package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type clientConfigCommand struct {
	Client      string `arg:"" enum:"${clients}" help:"One of ${enum}."`
	PassKey     bool
	URL         string `name:"url" placeholder:"URL"`
	KeyVariable string `default:"SCRATCHPAD_API_KEY" placeholder:"NAME"`

	Tools         toolSet      `enum:"storage,memory,all" default:"storage"`
	MaxReadTokens flags.Number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"20000" placeholder:"N"`
}

// clientConfig is the answer of the command.
type clientConfig struct {
	Client  string              `json:"client"`
	File    string              `json:"file"`
	Agent   string              `json:"agent_id,omitempty"` // "": that of the project; with --url the key says it
	Tenant  string              `json:"tenant,omitempty"`   // "": the default
	Server  clientconfig.Server `json:"server,omitzero"`
	Snippet string              `json:"snippet"`
	Shell   string              `json:"shell,omitempty"` // a command that adds the server
}

// Run prints the entry for the client.
func (c clientConfigCommand) Run(p *process) error {
	to, _ := clientconfig.Find(c.Client)
	variable, err := c.check(p)
	if err != nil {
		return err
	}
	a := clientConfig{Client: c.Client}
	if a.File, err = to.File(); err != nil {
		return invalid("there is no folder for the file of %s: %v; set HOME", to.Title, err)
	}
	if file := to.ProjectFile("."); c.URL != "" && file != "" { // without a key in it, so others may read it
		if a.File, err = filepath.Abs(file); err != nil {
			return err
		}
	}
	var m clientconfig.Memory
	if c.URL != "" {
		m, err = c.connect(p, to, &a)
	} else {
		m, err = c.start(p, to, &a, variable)
	}
	if err != nil {
		return err
	}
	a.Snippet = to.Snippet(setup.ServerName, a.Server)
	if c.Client == "claude-code" {
		a.Shell = claudeCommand(a.Server)
	}
	return p.answer(a, func(out io.Writer) error { return c.print(p, to, a, m, variable, out) })
}

// start makes an entry by which the client starts this program.
func (c clientConfigCommand) start(
	p *process, to clientconfig.Client, a *clientConfig, variable string,
) (m clientconfig.Memory, err error) {
	if m, err = p.memoryFor(to.Folder); err != nil {
		return m, err
	}
	s, err := p.server(m, int64(c.MaxReadTokens))
	if err != nil {
		return m, err
	}
	if c.Tools != storageTools {
		s.Args = append(s.Args, "--tools", string(c.Tools))
	}
	if native.IsTemporary(s.Command) {
		p.note("Beware: %s is gone when go run ends. Run go install ./cmd/scratchpad, and then the installed "+
			"program.\n", s.Command)
	}
	if c.PassKey {
		s = to.PassVariable(s, variable, os.Getenv(variable))
	}
	a.Agent, a.Tenant, a.Server = m.Agent, m.Tenant, s
	return m, nil
}

// check looks at the flags. It returns the variable with the key for summaries.
func (c clientConfigCommand) check(p *process) (variable string, err error) {
	switch {
	case c.URL != "" && c.PassKey:
		return "", invalid("--pass-key is for a server on this machine; leave it out, or --url")
	case c.URL != "" && c.Tools != storageTools:
		return "", invalid("with --url the server says which tools it has; leave --tools out, and give it to " +
			"scratchpad serve")
	case c.URL != "" && (p.agentNamed || p.tenantNamed):
		return "", invalid("with --url the key says whose memory it is; leave --agent and --tenant out, and give " +
			"them to scratchpad keys create")
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

// hookCommand returns the command line of the hook that goes with a server. Clients run
// it by sh, on Windows by the bash of Git or another shell that takes paths with slashes.
func hookCommand(s clientconfig.Server) string {
	var args []string
	for i, arg := range s.Args {
		if (arg == "--db" || arg == "--tenant" || arg == "--agent") && i+1 < len(s.Args) {
			args = append(args, arg, native.QuoteSh(filepath.ToSlash(s.Args[i+1])))
		}
	}
	return clientconfig.HookCommand(filepath.ToSlash(s.Command), args...)
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
	s.Args = slices.Concat(s.Args, m.Args(), p.line.Postgres.Args(), p.line.Limits.Args(),
		p.line.StoreLimits.Args(), p.line.Summaries.Args())
	if p.line.Paths.PathRule != workspace.UnicodePaths {
		s.Args = append(s.Args, "--paths", p.line.Paths.String())
	}
	if kept := p.line.KeepDeleted.Duration; kept != 30*24*time.Hour {
		s.Args = append(s.Args, "--keep-deleted", kept.String())
	}
	if p.line.Secrets.SecretRule != workspace.SecretsWarn {
		s.Args = append(s.Args, "--secrets", p.line.Secrets.String())
	}
	if maxReadTokens > 0 {
		s.Args = append(s.Args, "--max-read-tokens", fmt.Sprint(maxReadTokens))
	}
	return s, nil
}

// print writes the entry to standard output and all else to standard error.
func (c clientConfigCommand) print(
	p *process, to clientconfig.Client, a clientConfig, m clientconfig.Memory, variable string, out io.Writer,
) error {
	p.note("%s\n", terminal.OneLine(m.String()))
	text := a.Snippet
	if a.Shell != "" {
		text = a.Shell + "\n"
		whom := "for all your projects"
		if c.URL != "" {
			whom = "for everybody who works in that folder"
		}
		p.note("Run the command below. Or put this into %s, %s:\n\n%s\n", a.File, whom, a.Snippet)
	} else {
		setup := ", or let scratchpad setup do that"
		if to.ByHand || c.URL != "" {
			setup = ""
		}
		p.note("Put this into %s%s. Then restart %s:\n\n", a.File, setup, to.Title)
	}
	_, err := io.WriteString(p.screen(out), text)
	c.sayKey(p, to, variable)
	return err
}
