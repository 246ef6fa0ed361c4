package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A helpCommand is what is left of help: in place of help and a command, the line has the
// command and --help.
type helpCommand struct {
	Topic string `arg:"" enum:"flags" help:"A command, or flags. Without, an overview."`
}

const flagsHelp = `These are the flags of all commands. A flag may come before or after the command.
Everything after -- is text, also what begins with a dash.

In place of a flag you can set the environment variable in brackets; the flag wins. Flags of a single command have
variables too, made of its name: SCRATCHPAD_FILES_CAT_VERSION is --version of files cat.

Exit codes: 0 success; 1 failure; 2 a wrong command line or value; 3 not found; 4 a conflict; 5 over a limit;
6 a problem with the database; 130 interrupted.`

const overview = `Usage: scratchpad <command> [flags]

` + description + `

To begin:
  demo           Show what Scratchpad does, with a temporary database.
  setup          Add it to the MCP clients on this machine.
  console        See in the browser what agents keep.

Memory:
  files          ls, cat, write, edit, diff, summarize, history, restore,
                 redact, mv, rm
  logs           ls, cat, append, tail, redact, rm
  search <query> ... [--prefix=P] [--exact] [--regexp] [--history] [--limit=N]
                 Find passages: any of the words, "a phrase", not -word.
  changes [--prefix=P] [--since=N] [--all] [--diffs]
                 Show what has changed, and who did it.
  brief          Print what an agent must know at the start.
  stats          Show how much an agent uses, and its limits.
  export, import Write the memory to a folder, and bring a folder in.

Servers and their data:
  mcp            Serve MCP on standard input and output.
  serve          Serve MCP over HTTP to many agents.
  client-config  Print the configuration for a client.
  hook           Answer a client when a session begins.
  agents         ls, rm
  projects       ls, set, off, join, forget
  keys           create, ls, show, set, rotate, revoke
  tenants        ls, set
  doctor         Check the database and suggest fixes.
  healthcheck    Ask a server whether it is ready.
  verify         Check every SHA-256 in the database.
  backup         Copy the database to a new file.
  migrate        Copy it into another, such as PostgreSQL.
  completion     Print a script for the Tab key.
  version        Print the version.

Each has its own --help. "scratchpad help flags" explains the flags of all
commands, such as --agent NAME, --db FILE and --json.
`

// Run shows the flags of all commands, without the commands.
func (helpCommand) Run(k *kong.Context) error {
	app, root := *k.Kong.Model, *k.Kong.Model.Node
	root.Help, root.Children = flagsHelp, nil
	app.Node, app.HelpFlag = &root, nil
	k.Kong.Model.HelpFlag.Hidden = true
	k.Kong.Model = &app
	context, err := kong.Trace(k.Kong, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(k.Stdout, "Usage: scratchpad [flags] <command>")
	return kong.DefaultHelpPrinter(kong.HelpOptions{NoAppSummary: true, WrapUpperBound: 120,
		ValueFormatter: kong.DefaultHelpValueFormatter}, context)
}

// describeHelp is kong's hook. It puts --help among the flags of all commands.
func describeHelp(k *kong.Kong) error {
	k.Model.HelpFlag.Help = "Show this help."
	k.Model.HelpFlag.Group = &flagGroups[0]
	return nil
}

// printHelp is kong's hook. A model pays for each word of help: the overview names the commands,
// the page of a group has a sentence, the arguments and the flags of each, the page of a command
// explains these, and that of flags has what all commands share.
func printHelp(o kong.HelpOptions, k *kong.Context) error {
	n := k.Selected()
	switch {
	case n == nil:
		_, err := io.WriteString(k.Stdout, overview)
		return err
	case len(n.Children) > 0:
		_, err := io.WriteString(k.Stdout, groupHelp(n))
		return err
	}
	for _, f := range k.Model.Flags {
		f.Hidden = true
	}
	fmt.Fprintf(k.Stdout, "Usage: %s %s\n", k.Model.Name, n.Summary())
	n.Positional = slices.DeleteFunc(n.Positional, func(a *kong.Positional) bool { return a.Help == "" })
	o.NoAppSummary, o.ValueFormatter = true, withOwnVariable
	if err := kong.DefaultHelpPrinter(o, k); err != nil {
		return err
	}
	_, err := io.WriteString(k.Stdout, "\nFlags of all commands, and variables: scratchpad help flags\n")
	return err
}

// withOwnVariable returns the help of a flag or an argument. It names the variable where the
// commands and the flag do not tell its name.
func withOwnVariable(v *kong.Value) string {
	if !v.Tag.Has("env") {
		return v.Help
	}
	return kong.DefaultHelpValueFormatter(v)
}

// groupHelp returns the help of a group: each command with its arguments, its flags and a sentence.
func groupHelp(group *kong.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s <command> [flags]\n\n%s\n\n", group.FullPath(), group.Help)
	for _, c := range group.Children {
		if c.Hidden {
			continue
		}
		wrap(&b, "  ", "      ", usage(c))
		wrap(&b, "      ", "      ", c.Help)
	}
	if group.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", group.Detail)
	}
	fmt.Fprintf(&b, "\nMore: %s <command> --help\n", group.FullPath())
	return b.String()
}

// usage returns a command with its arguments and flags, without the commands above it.
func usage(c *kong.Node) string {
	words := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(c.Summary(), c.Parent.Path()), "[flags]"))
	for _, f := range c.Flags {
		switch {
		case f.Hidden:
		case f.IsBool():
			words = append(words, "[--"+f.Name+"]")
		default:
			words = append(words, "[--"+f.Name+"="+f.FormatPlaceHolder()+"]")
		}
	}
	return strings.Join(words, " ")
}

// wrap writes words in lines of at most 80 characters.
func wrap(b *strings.Builder, first, further, text string) {
	line := first
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > 80:
			b.WriteString(line + "\n")
			line = further + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}
