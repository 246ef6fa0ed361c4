// Command scratchpad gives AI agents durable memory over MCP, and lets people read
// and change what agents keep.
//
// commandline.go has the flags and commands, database.go opens the database,
// output.go writes answers for people and for scripts. Each command has a file of
// its name, such as files_write.go.
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

	"github.com/agent-scratchpad/scratchpad/internal/cli/complete"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// process is the surroundings of a command.
type process struct {
	streams
	ctx     context.Context
	log     *slog.Logger
	line    *commandLine
	parsed  *kong.Context // says which flags were given
	command string        // "files rm <path>"

	keepVersions bool // the command keeps as many versions of a file as there are
	dryRun       bool // the command changes nothing

	projectName string // whose memory the command uses; "": of no project
	offer       string // the sentence that offers another memory; "": none
	told        bool   // the user was told so
	existing    bool   // the command changes what is there, and makes nothing new

	summarizer *workspace.Summarizer // for databases that are opened from now on; nil: none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	native.IgnoreFileSizeSignal()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// streams are standard input, output and error.
type streams struct {
	in  io.ReadCloser
	out io.WriteCloser
	err io.Writer
}

// run is main with an exit code.
func run(ctx context.Context, args []string, s streams) int {
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"} // not a flag, because files cat has a --version of its own
	}
	if len(args) > 0 && args[0] == "help" && !slices.Equal(args[1:], []string{"flags"}) {
		args = append([]string{"--help"}, args[1:]...) // at the front, where no -- is before it
	}
	var line commandLine
	k, ok := parseAlone(args, &line)
	if !ok {
		var err error
		if k, args, err = parseAny(args, s.in, &line); err != nil {
			command, usage := helpOf(err)
			failure.OfUsage(explained(err, args), command).PrintUsage(s.err, failure.AsksForJSON(args), usage)
			if len(args) > 0 && args[0] == "hook" { // a mistake must not keep a session from beginning
				return 0
			}
			return failure.ExitUsage
		}
	}
	p := &process{ctx: ctx, streams: s, line: &line, parsed: k, command: k.Command()}
	level := slog.LevelWarn
	if line.Debug {
		level = slog.LevelDebug
	}
	p.log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level}))
	if err := k.Run(p); err != nil {
		failure.Of(ctx, err).Print(p.err, line.JSON)
		return failure.ExitCode(ctx, err)
	}
	return 0
}

// parseAny parses the command line of any command. It returns the arguments with the
// command that stands for none, which depends on whether in is a terminal.
func parseAny(args []string, in io.Reader, line *commandLine) (*kong.Context, []string, error) {
	*line = commandLine{}
	parser := newParser(line)
	k, err := parser.Parse(args)
	if err != nil && noCommand(err) {
		if terminal.Is(in) {
			args = append(args, "--help")
		} else {
			args = append(args, "mcp")
		}
		k, err = parser.Parse(args)
	}
	return k, args, err
}

// helpOf returns the command whose help is useful after an error in the command line, and its
// usage if it is no group.
func helpOf(err error) (command, how string) {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if c := parse.Context.Selected(); c != nil && !c.Hidden {
			if len(c.Children) == 0 {
				if how = c.Parent.FullPath() + " " + usage(c); len(how) > 120 {
					how = "scratchpad " + c.Summary()
				}
			}
			return c.FullPath(), how
		}
	}
	return "scratchpad", ""
}

// explained adds to an error in the command line the values of an argument that is missing,
// what -- does to the flags behind it, and the commands that may be meant.
func explained(err error, args []string) error {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return err
	}
	selected := parse.Context.Selected()
	if word, is := strings.CutPrefix(err.Error(), "unexpected argument "); is {
		if selected == nil {
			selected = parse.Context.Model.Node
		}
		word, _, _ = strings.Cut(word, ", did you mean")
		if names := meant(selected, word); names != "" {
			return fmt.Errorf("unexpected argument %s; %s", word, names)
		}
	}
	if selected == nil {
		return err
	}
	for _, p := range selected.Positional {
		if p.Enum != "" && strings.Contains(err.Error(), `expected "<`+p.Name+`>`) {
			return fmt.Errorf("%w: one of %s", err, strings.Join(p.EnumSlice(), ", "))
		}
	}
	if slices.Contains(args, "--") && strings.HasPrefix(err.Error(), "unexpected argument ") {
		return fmt.Errorf("%w; everything after -- is text, so flags go before it", err)
	}
	return err
}

// meant names the commands that may be meant by a word which is no command of a node: those of a
// group, and otherwise those of this name in groups.
func meant(n *kong.Node, word string) string {
	var commands, same []string
	for _, c := range n.Children {
		commands = append(commands, c.Name)
		if below := complete.Command(c, word); below != nil {
			same = append(same, below.Path())
		}
	}
	switch {
	case n.Parent != nil && commands != nil:
		return "the commands are " + strings.Join(commands, ", ")
	case same != nil:
		return "did you mean " + strings.Join(same, ", ") + "?"
	}
	return ""
}

// noCommand reports whether a command line has no command, but flags at most.
func noCommand(err error) bool {
	var parse *kong.ParseError
	return errors.As(err, &parse) && parse.Context.Selected() == nil && strings.HasPrefix(err.Error(), "expected ")
}
