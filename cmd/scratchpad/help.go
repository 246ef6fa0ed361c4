package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/complete"
)

type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command, or flags. Default: an overview."`
}

const flagsHelp = `These are the flags of all commands. A flag may come before or after the command. In place
of a flag you can set the environment variable in brackets; the flag wins. Everything after -- is text, also
what begins with a dash. Flags of a single command have variables too, such as SCRATCHPAD_FILES_CAT_VERSION.`

// Run shows the help of a topic.
func (c helpCommand) Run(k *kong.Context) error {
	if len(c.Topic) == 1 && c.Topic[0] == complete.FlagsTopic {
		return printFlags(k.Kong)
	}
	node := k.Model.Node
	for _, name := range c.Topic {
		child := complete.Command(node, name)
		if child == nil {
			return invalid("there is no help on %s; %s lists the topics", strings.Join(c.Topic, " "), topicsOf(node))
		}
		node = child
	}
	topic, err := kong.Trace(k.Kong, c.Topic)
	if err != nil {
		return err
	}
	return topic.PrintUsage(false)
}

// topicsOf returns the command that lists what is below a node.
func topicsOf(node *kong.Node) string {
	for len(node.Children) == 0 {
		node = node.Parent
	}
	return strings.Replace(node.FullPath(), "scratchpad", "scratchpad help", 1)
}

// describeHelp is kong's hook. It puts --help among the flags of all commands.
func describeHelp(k *kong.Kong) error {
	k.Model.HelpFlag.Help = "Show this help."
	k.Model.HelpFlag.Group = &flagGroups[0]
	return nil
}

// printHelp is kong's hook. The overview shows the common ones of the flags of all commands,
// and the help of a command only says where they are.
func printHelp(o kong.HelpOptions, k *kong.Context) error {
	isCommand := k.Selected() != nil
	for _, f := range k.Model.Flags {
		f.Hidden = isCommand || f.Group != nil && f.Group.Key != commonGroup
	}
	if err := kong.DefaultHelpPrinter(o, k); err != nil {
		return err
	}
	where := `Run "scratchpad help flags" for the flags of storage, limits, summaries and output.`
	if isCommand {
		where = "\n" + `Run "scratchpad help flags" for the flags of all commands, such as --db, --agent and --json.`
	}
	_, err := fmt.Fprintln(k.Stdout, where)
	return err
}

// printFlags shows the flags of all commands, without the commands.
func printFlags(k *kong.Kong) error {
	app, root := *k.Model, *k.Model.Node
	root.Help, root.Children = flagsHelp, nil
	app.Node, app.HelpFlag = &root, nil
	k.Model.HelpFlag.Hidden = true
	k.Model = &app
	context, err := kong.Trace(k, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(k.Stdout, "Usage: scratchpad [flags] <command>")
	return kong.DefaultHelpPrinter(kong.HelpOptions{NoAppSummary: true, WrapUpperBound: 120,
		ValueFormatter: kong.DefaultHelpValueFormatter}, context)
}
