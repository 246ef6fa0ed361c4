package main

import (
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

type clientConfigCommand struct {
	Client  string `arg:"" enum:"${clients}" help:"One of ${enum}."`
	PassKey bool
	URL     string `name:"url" placeholder:"URL"`

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
	a, variable, memory := clientConfig{Client: c.Client}, keyVariable, "Memory: that of the agents of the key."
	file, err := to.File()
	if err != nil {
		return invalid("there is no folder for the file of %s: %v; set HOME", to.Title, err)
	}
	if c.URL != "" {
		if a.Server, err = c.connect(p, to); err == nil {
			file, err = filepath.Abs(cmp.Or(to.ProjectFile("."), file)) // there is no key in it, so others may read it
		}
	} else {
		variable, memory, err = c.start(p, to, &a)
	}
	if err != nil {
		return err
	}
	a.File, a.Snippet = file, to.Snippet(setup.ServerName, a.Server)
	if c.Client == "claude-code" {
		a.Shell = claudeCommand(a.Server)
	}
	return p.answer(a, func(out io.Writer) error {
		p.note("%s\n", terminal.OneLine(memory))
		return c.print(p, to, a, variable, out)
	})
}

// start makes an entry by which the client starts this program. It returns the variable that has the
// key for summaries, and whose memory the client gets.
func (c clientConfigCommand) start(
	p *process, to clientconfig.Client, a *clientConfig,
) (variable, memory string, err error) {
	if variable, err = p.line.Summaries.KeyVariable(); err != nil {
		return "", "", err
	}
	if c.PassKey && variable == "" {
		return "", "", invalid("--pass-key: the server would need no key, or ANTHROPIC_API_KEY and OPENAI_API_KEY " +
			"are not set here; leave --pass-key out, or set the key")
	}
	m, err := p.memoryFor(to.Folder)
	if err != nil {
		return "", "", err
	}
	s, err := p.server(m, int64(c.MaxReadTokens))
	if err != nil {
		return "", "", err
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
	return variable, m.String(), nil
}

// connect returns the entry for a server at a URL.
func (c clientConfigCommand) connect(p *process, to clientconfig.Client) (s clientconfig.Server, err error) {
	at, err := url.Parse(c.URL)
	switch {
	case c.PassKey || c.Tools != storageTools || p.onLine("agent") || p.onLine("tenant"):
		return s, invalid("with --url the server says which tools it has, and the key whose memory it is; leave " +
			"--agent, --tenant, --tools and --pass-key out")
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil ||
		at.RawQuery+at.Fragment != "": // it is not repeated, because it may have a password
		return s, invalid("--url must be the http or https URL of a server, without a user, such as " +
			"https://memory.example.com/mcp")
	case !to.TakesURL():
		return s, invalid("the file of %s has no servers at a URL; add the server in its settings, under Connectors",
			to.Title)
	case strings.Trim(at.Path, "/") == "":
		at.Path = "/mcp"
	}
	host := at.Hostname()
	if ip, _ := netip.ParseAddr(host); at.Scheme == "http" && host != "localhost" && !ip.IsLoopback() {
		p.note("Beware: http sends the key to %s without encryption. Use https.\n", terminal.OneLine(host))
	}
	return to.Connect(at.String(), keyVariable, cmp.Or(os.Getenv(keyVariable), noKey)), nil
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
	s.Args = slices.Concat(s.Args, m.Args(), p.passedOn())
	if maxReadTokens > 0 {
		s.Args = append(s.Args, "--max-read-tokens", fmt.Sprint(maxReadTokens))
	}
	return s, nil
}

// passedOn returns the flags of all commands that were given, by a variable too, for another process. Those
// that say whose memory it is, and how to print, are left out.
func (p *process) passedOn() (args []string) {
	for _, f := range p.parsed.Model.Flags {
		if f.Group != nil && f.Group.Key != "common" && f.Group.Key != "output" && p.given(f.Name) {
			args = append(args, fmt.Sprintf("--%s=%v", f.Name, f.Target))
		}
	}
	return args
}

// print writes the entry to standard output and all else to standard error.
func (c clientConfigCommand) print(
	p *process, to clientconfig.Client, a clientConfig, variable string, out io.Writer,
) error {
	text := a.Snippet
	switch {
	case a.Shell != "":
		text = a.Shell + "\n"
		p.note("Run the command below. Or put this into %s:\n\n%s\n", a.File, a.Snippet)
	case to.ByHand || c.URL != "":
		p.note("Put this into %s. Then restart %s:\n\n", a.File, to.Title)
	default:
		p.note("Put this into %s, or let scratchpad setup do that. Then restart %s:\n\n", a.File, to.Title)
	}
	_, err := io.WriteString(p.screen(out), text)
	switch {
	case variable == "":
	case c.URL == "" && !c.PassKey:
		p.note("\n%s is set here. If %s does not pass it to the server, summaries are outlines. --pass-key puts it "+
			"into the entry.\n", variable, to.Title)
	case to.ReadsEnvironment():
		p.note("\nThe entry refers to %s. The variable must be set where %s starts.\n", variable, to.Title)
	case c.URL != "" && os.Getenv(keyVariable) == "":
		p.note("\nPut the key in place of %s. Then keep the entry secret.\n", noKey)
	default:
		p.note("\nThe entry contains the key. Keep it secret.\n")
	}
	return err
}

// claudeCommand returns the command line that adds a server to Claude Code.
func claudeCommand(s clientconfig.Server) string {
	quote := "'"
	if runtime.GOOS == "windows" {
		quote = `"`
	}
	return clientconfig.ClaudeCommand(setup.ServerName, s, "user", native.Quote, quote)
}
