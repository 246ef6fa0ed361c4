// Command scratchpad gives AI agents durable memory over MCP.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitError = 1 // what was asked for failed; the error says why
	exitUsage = 2 // the command line is wrong
)

// commandLine is every flag and command. Each flag has an environment variable.
type commandLine struct {
	DB    string  `name:"db" env:"SCRATCHPAD_DB,SCRATCHPAD_DB_PATH" placeholder:"FILE" help:"The database; mem: keeps everything in memory only. Default: ${db}."`
	Agent *string `env:"SCRATCHPAD_AGENT" placeholder:"NAME" help:"Serve this agent alone. Without it, every call names its agent."`

	MCP     mcpCommand       `cmd:"" name:"mcp" help:"Serve MCP on standard input and output."`
	Version kong.VersionFlag `help:"Print the version."`
}

func orNone(db string) string {
	if db == "" {
		return "none, for there is no home folder"
	}
	return db
}

// process is what a command has of its surroundings.
type process struct {
	ctx context.Context
	in  io.ReadCloser
	out io.WriteCloser
	log *slog.Logger
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	ignoreFileSizeSignal()
	var line commandLine
	parser := kong.Must(&line, kong.Name("scratchpad"),
		kong.Description("Durable memory for AI agents: versioned files with diffs, over MCP."),
		kong.Vars{"version": version(), "db": orNone(defaultDB())})
	k, err := parser.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "scratchpad: %v\nTry: scratchpad --help\n", err)
		os.Exit(exitUsage)
	}
	p := process{ctx: ctx, in: os.Stdin, out: os.Stdout, log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if err := k.Run(&line, p); err != nil {
		fmt.Fprintln(os.Stderr, "scratchpad:", err)
		os.Exit(exitError)
	}
}
