// Command scratchpad gives AI agents durable memory over MCP, and lets people
// look at it.
//
// main.go has the command line, database.go opens what it names, output.go
// writes answers for people and for scripts, and each command has a file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// commandLine is every flag and command. Each flag has an environment variable.
type commandLine struct {
	DB         *string     `name:"db" env:"SCRATCHPAD_DB,SCRATCHPAD_DB_PATH" placeholder:"FILE" help:"The database; mem: keeps everything in memory only. Default: ${db}."`
	Agent      *string     `placeholder:"NAME" help:"Whose memory. For mcp: serve this agent alone; without it, every call names its agent. For the other commands: default."`
	Limits     limits      `embed:"" prefix:"max-" group:"Limits"`
	Store      storeLimits `embed:"" prefix:"max-" group:"Limits"`
	Summaries  summaries   `embed:"" group:"Summaries"`
	Durability durability  `default:"full" placeholder:"full|normal" help:"What an acknowledged write survives: full, a power cut; normal, only the end of the process, for less waiting on slow disks."`
	JSON       bool        `name:"json" help:"Answer with one line of JSON; logs cat and logs tail with one for each entry. An error is one line of JSON on standard error."`
	Color      string      `enum:"auto,always,never" default:"auto" placeholder:"auto|always|never" help:"Colour the output: ${enum}. auto: on a terminal without $NO_COLOR."`
	Debug      bool        `help:"Log everything to standard error."`

	Demo         demoCommand         `cmd:"" help:"Show what it does, on a database of its own."`
	MCP          mcpCommand          `cmd:"" name:"mcp" help:"Serve MCP on standard input and output. What runs without a command where standard input is no terminal."`
	Files        filesCommand        `cmd:"" help:"Look at an agent's files, and write them."`
	Logs         logsCommand         `cmd:"" help:"Look at an agent's logs, and add to them."`
	Agents       agentsCommand       `cmd:"" help:"List and delete agents."`
	Stats        statsCommand        `cmd:"" help:"Show what an agent uses, and its limits."`
	Doctor       doctorCommand       `cmd:"" help:"Look whether everything is well, and say what to do where it is not."`
	Verify       verifyCommand       `cmd:"" help:"Read everything that agents have stored, and check every SHA-256."`
	Backup       backupCommand       `cmd:"" help:"Copy the database, while it is in use, to a new file, and verify the copy."`
	ClientConfig clientConfigCommand `cmd:"" name:"client-config" help:"Print or write what makes an MCP client start this program."`
	Completion   completionCommand   `cmd:"" help:"Print a script that makes the Tab key complete commands, flags and names."`
	Complete     completeCommand     `cmd:"" name:"__complete" hidden:""`
	Version      versionCommand      `cmd:"" help:"Print the version; so does --version."`
}

// limits are those of [workspace.Limits].
type limits struct {
	FileBytes  int64 `default:"${file_bytes}" placeholder:"N" help:"Bytes of one version of a file: ${default}."`
	EntryBytes int64 `default:"${entry_bytes}" placeholder:"N" help:"Bytes of one entry of a log: ${default}."`
	Versions   int64 `default:"${versions}" placeholder:"N" help:"Versions kept of a file: ${default}."`
	Files      int64 `default:"${files}" placeholder:"N" help:"Files of an agent: ${default}."`
	Logs       int64 `default:"${logs}" placeholder:"N" help:"Logs of an agent: ${default}."`
	Entries    int64 `default:"${entries}" placeholder:"N" help:"Log entries of an agent: ${default}."`
	Bytes      int64 `default:"${bytes}" placeholder:"N" help:"Bytes of an agent, all kept versions, entries and summaries together, and a charge for each: ${default}."`
}

// limit is one of the limits, with its flag.
type limit struct {
	flag             string
	value, byDefault int64
}

func (l limits) all() []limit {
	d := workspace.DefaultLimits()
	return []limit{
		{"--max-file-bytes", l.FileBytes, d.FileBytes},
		{"--max-entry-bytes", l.EntryBytes, d.EntryBytes},
		{"--max-versions", l.Versions, d.Versions},
		{"--max-files", l.Files, d.Files},
		{"--max-logs", l.Logs, d.Logs},
		{"--max-entries", l.Entries, d.Entries},
		{"--max-bytes", l.Bytes, d.Bytes},
	}
}

// Validate is kong's hook. A limit of 0 would be taken for the default.
func (l limits) Validate() error {
	for _, f := range l.all() {
		if f.value < 1 {
			return fmt.Errorf("%s must be 1 or more, not %d", f.flag, f.value)
		}
	}
	return nil
}

// args are those that give another process the same limits.
func (l limits) args() []string { return argsOf(l.all()) }

func argsOf(limits []limit) (args []string) {
	for _, f := range limits {
		if f.value != f.byDefault {
			args = append(args, f.flag, fmt.Sprint(f.value))
		}
	}
	return args
}

// storeLimits are those of [workspace.StoreLimits], where 0 is no limit.
type storeLimits struct {
	Agents     int64 `default:"${agents}" placeholder:"N" help:"Agents in the database; 0: no limit. Default: ${default}."`
	TotalBytes int64 `default:"${total_bytes}" placeholder:"N" help:"Bytes of all agents together; 0: no limit. Default: ${default}."`
}

func (l storeLimits) all() []limit {
	d := workspace.DefaultStoreLimits()
	return []limit{
		{"--max-agents", l.Agents, d.Agents},
		{"--max-total-bytes", l.TotalBytes, d.Bytes},
	}
}

// Validate is kong's hook.
func (l storeLimits) Validate() error {
	for _, f := range l.all() {
		if f.value < 0 {
			return fmt.Errorf("%s must be 0 or more, not %d", f.flag, f.value)
		}
	}
	return nil
}

// args are those that give another process the same limits.
func (l storeLimits) args() []string { return argsOf(l.all()) }

// options are the limits as package workspace has them.
func (l storeLimits) options() workspace.StoreLimits {
	none := func(n int64) int64 {
		if n == 0 {
			return -1
		}
		return n
	}
	return workspace.StoreLimits{Agents: none(l.Agents), Bytes: none(l.TotalBytes)}
}

// durability is [sqlite.Durability] on the command line.
type durability struct{ sqlite.Durability }

// UnmarshalText is kong's hook.
func (d *durability) UnmarshalText(text []byte) error {
	for _, known := range []sqlite.Durability{sqlite.Full, sqlite.Normal} {
		if string(text) == known.String() {
			d.Durability = known
			return nil
		}
	}
	return fmt.Errorf("must be full or normal, not %q", text)
}

// variables are what the help interpolates.
func variables() kong.Vars {
	l, all := workspace.DefaultLimits(), workspace.DefaultStoreLimits()
	n := func(n int64) string { return fmt.Sprint(n) }
	return kong.Vars{
		"db":         orNone(defaultDB()),
		"clients":    strings.Join(clientconfig.Names(), ","),
		"file_bytes": n(l.FileBytes), "entry_bytes": n(l.EntryBytes), "versions": n(l.Versions),
		"files": n(l.Files), "logs": n(l.Logs), "entries": n(l.Entries), "bytes": n(l.Bytes),
		"agents": n(all.Agents), "total_bytes": n(all.Bytes),
	}
}

func orNone(db string) string {
	if db == "" {
		return "none, for there is no home folder"
	}
	return db
}

const description = `Memory for AI agents: versioned files with diffs and append-only logs, served over MCP, and open to people.

  scratchpad demo                                       see what it does
  scratchpad client-config claude-code                  give it to a client
  scratchpad files ls                                   look at what an agent keeps

Exit codes: 0 done; 1 failed; 2 the command line or a value is wrong; 3 there is no such thing; 4 a conflict; 5 over a limit; 6 trouble with the database; 130 interrupted.`

// environment names a variable for each flag that has none: SCRATCHPAD_ with
// the commands and the flag. An empty variable of a flag counts as unset, and is
// taken out of the environment of this process.
func environment(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok {
			nameVariables(n)
		} else if app, ok := node.(*kong.Application); ok {
			nameVariables(app.Node)
		}
		return next(nil)
	})
}

func nameVariables(n *kong.Node) {
	var words []string
	for at := n; at != nil; at = at.Parent {
		words = append([]string{at.Name}, words...)
	}
	for _, f := range n.Flags {
		if f.Name != "help" && len(f.Envs) == 0 {
			name := strings.ToUpper(strings.ReplaceAll(strings.Join(append(words, f.Name), "_"), "-", "_"))
			f.Envs = []string{name}
			f.Value.Tag.Envs = f.Envs
		}
		for _, name := range f.Envs {
			if os.Getenv(name) == "" {
				os.Unsetenv(name)
			}
		}
	}
}

// process is what a command has of its surroundings.
type process struct {
	ctx     context.Context
	in      io.ReadCloser
	out     io.WriteCloser
	err     io.Writer
	log     *slog.Logger
	line    *commandLine
	command string // "files rm <path>"

	versionsGiven bool // --max-versions, on the command line or as a variable
	agentNamed    bool // --agent, on the command line

	summarizer *workspace.Summarizer // of the databases that are opened from now on; nil: none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	ignoreFileSizeSignal()
	os.Exit(run(ctx, os.Args[1:]))
}

// run is main with an exit code.
func run(ctx context.Context, args []string) int {
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"} // no flag of all commands: files cat has one of the name
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(args[1:len(args):len(args)], "--help")
	}
	var line commandLine
	parser := kong.Must(&line, kong.Name("scratchpad"), kong.Description(description), kong.PostBuild(environment), variables(),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 120, Compact: true}))
	k, err := parser.Parse(args)
	if err != nil && noCommand(err) {
		if isTerminal(os.Stdin) {
			args = append(args, "--help")
		} else {
			args = append(args, "mcp")
		}
		k, err = parser.Parse(args)
	}
	if err != nil {
		usageFailure(err).print(os.Stderr, asksForJSON(args))
		return exitUsage
	}
	p := &process{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, line: &line, command: k.Command(), versionsGiven: given(k, "max-versions"), agentNamed: onLine(k, "agent")}
	level := slog.LevelWarn
	if line.Debug {
		level = slog.LevelDebug
	}
	p.log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level}))
	if err := k.Run(p); err != nil {
		failureOf(ctx, err).print(p.err, line.JSON)
		return exitCode(ctx, err)
	}
	return 0
}

// given reports whether a flag was given, by its variable or on the command line.
func given(k *kong.Context, flag string) bool {
	for _, f := range k.Flags() {
		if f.Name != flag {
			continue
		}
		for _, variable := range f.Envs {
			if _, ok := os.LookupEnv(variable); ok {
				return true
			}
		}
	}
	return onLine(k, flag)
}

// onLine reports whether a flag was given on the command line.
func onLine(k *kong.Context, flag string) bool {
	return slices.ContainsFunc(k.Path, func(e *kong.Path) bool { return e.Flag != nil && e.Flag.Name == flag })
}

// helpOf is the command whose help a wrong command line needs.
func helpOf(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if command := parse.Context.Selected(); command != nil && !command.Hidden {
			return command.FullPath()
		}
	}
	return "scratchpad"
}

// noCommand reports that a command line has flags at most.
func noCommand(err error) bool {
	var parse *kong.ParseError
	return errors.As(err, &parse) && parse.Context.Selected() == nil && strings.HasPrefix(err.Error(), "expected ")
}
