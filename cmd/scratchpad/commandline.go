package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
)

// globalFlags are the flags of all commands. Each flag has an environment variable.
type globalFlags struct {
	DB     *string `name:"db" env:"SCRATCHPAD_DB,SCRATCHPAD_DB_PATH" type:"homepath" placeholder:"FILE" group:"common"`
	Agent  *string `placeholder:"NAME" group:"common"`
	Tenant *string `placeholder:"NAME" group:"common"`
	JSON   bool    `name:"json" group:"common"`

	Paths       flags.PathRule    `default:"unicode" placeholder:"ascii|unicode" group:"storage"`
	KeepDeleted flags.Span        `default:"30d" placeholder:"TIME" group:"storage"`
	Secrets     flags.SecretRule  `default:"warn" placeholder:"off|warn|refuse" group:"storage"`
	Postgres    flags.Postgres    `embed:"" group:"postgres"`
	Limits      flags.Limits      `embed:"" prefix:"max-" group:"limits"`
	StoreLimits flags.StoreLimits `embed:"" prefix:"max-" group:"limits"`
	Summaries   flags.Summaries   `embed:"" group:"summaries"`
	Color       string            `enum:"auto,always,never" default:"auto" group:"output"`
	Debug       bool              `group:"output" help:"Log everything to standard error."`
}

// commandLine is every flag and command.
type commandLine struct {
	globalFlags

	Demo         demoCommand         `cmd:"" help:"Show what Scratchpad does, with a temporary database."`
	Setup        setupCommand        `cmd:""`
	MCP          mcpCommand          `cmd:"" name:"mcp"`
	Serve        serveCommand        `cmd:"" help:"Serve MCP over HTTP to many agents of many people."`
	Console      consoleCommand      `cmd:"" help:"Look into the memory of agents in the browser, and change it there."`
	Files        filesCommand        `cmd:"" help:"Read and change an agent's files."`
	Logs         logsCommand         `cmd:"" help:"Read an agent's logs and append to them."`
	Changes      changesCommand      `cmd:""`
	Search       searchCommand       `cmd:"" help:"Find passages in an agent's files and logs."`
	Agents       agentsCommand       `cmd:"" help:"List and delete agents."`
	Projects     projectsCommand     `cmd:"" help:"Say which folder has whose memory."`
	Keys         keysCommand         `cmd:"" help:"Make and manage the API keys of a server."`
	Tenants      tenantsCommand      `cmd:"" help:"Show the tenants of a server, and limit them."`
	Brief        briefCommand        `cmd:""`
	Hook         sessionHook         `cmd:""`
	Stats        statsCommand        `cmd:"" help:"Show how much an agent uses, and its limits."`
	Doctor       doctorCommand       `cmd:"" help:"Check the database and suggest fixes."`
	Healthcheck  healthcheckCommand  `cmd:"" help:"Ask a running server whether it is ready. The exit code is the answer."`
	Verify       verifyCommand       `cmd:"" help:"Read everything in the database and check every SHA-256."`
	Backup       backupCommand       `cmd:""`
	Migrate      migrateCommand      `cmd:""`
	Export       exportCommand       `cmd:"" help:"Write an agent's files and logs to a folder."`
	Import       importCommand       `cmd:"" help:"Bring an export, or a folder of text files, into an agent's memory."`
	ClientConfig clientConfigCommand `cmd:"" name:"client-config"`
	Completion   completionCommand   `cmd:""`
	Complete     completeCommand     `cmd:"" name:"__complete" hidden:""`
	Man          manCommand          `cmd:"" name:"__man" hidden:""`
	Version      versionCommand      `cmd:"" help:"Print the version, commit and date. So does --version."`
	Help         helpCommand         `cmd:"" help:"Show the help of a command, or of the flags of all commands."`
}

// flagGroups are the groups of the flags of all commands. The help of a command
// shows only the first one.
var flagGroups = []kong.Group{
	{Key: "common", Title: "Flags of all commands:"},
	{Key: "storage", Title: "Storage:"},
	{Key: "postgres", Title: "PostgreSQL:", Description: "They have no meaning for a file."},
	{Key: "limits", Title: "Limits:",
		Description: "A write that exceeds one of these fails. They apply to this command; a running server has its " +
			"own."},
	{Key: "summaries", Title: "Summaries of long files:"},
	{Key: "output", Title: "Output:"},
}

const description = "Memory for AI agents: versioned files with diffs, and append-only logs."

// newParser returns a parser that fills in the flags and commands of line.
func newParser(line any, more ...kong.Option) *kong.Kong {
	return kong.Must(line, append(more, kong.Name("scratchpad"), kong.Description(description),
		kong.PostBuild(nameVariables), kong.PostBuild(describe), kong.PostBuild(describeHelp),
		kong.ExplicitGroups(flagGroups), kong.NamedMapper("path", decodePath(true)),
		kong.NamedMapper("homepath", decodePath(false)),
		kong.KindMapper(reflect.Int64, kong.MapperFunc(decodeNumber)), kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 120, Compact: true, FlagsLast: true}))...)
}

// parseAlone parses the command line of one command. A client waits for its server and for its
// hooks, and the parser of all commands takes ten milliseconds to build. ok is false for a line
// with a mistake or with --help: the parser of all commands words the answer.
func parseAlone(args []string, line *commandLine) (k *kong.Context, ok bool) {
	asksHelp := func(arg string) bool { return strings.HasPrefix(arg, "--h") || strings.HasPrefix(arg, "-h") }
	if len(args) == 0 || slices.ContainsFunc(args, asksHelp) {
		return nil, false
	}
	command := line.alone(args[0])
	if command == nil {
		return nil, false
	}
	k, err := newParser(&line.globalFlags, kong.DynamicCommand(args[0], "", "", command)).Parse(args)
	return k, err == nil
}

// alone returns the command of a name. It returns nil if there is none, or if it must know the
// others.
func (c *commandLine) alone(name string) any {
	if name == "help" || strings.HasPrefix(name, "__") {
		return nil
	}
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if _, is := f.Tag.Lookup("cmd"); is && cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)) == name {
			return v.Field(i).Addr().Interface()
		}
	}
	return nil
}

// variables replaces each ${name} in texts and tags by its value. kong.Vars would do so too, but
// goes through the values of all variables for each flag.
func variables() *strings.Replacer {
	return strings.NewReplacer("${db}", orNone(database.Default()), "${clients}",
		strings.Join(clientconfig.Names(), ","), "${sources}", strings.Join(transfer.SourceNames(), ","))
}

func orNone(db string) string {
	if db == "" {
		return "none, because there is no home folder"
	}
	return db
}
