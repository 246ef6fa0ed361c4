package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/complete"
)

const completeWait = 500 * time.Millisecond // for the database

// completer walks the words of a command line through the model of the commands.
type completer struct {
	p          *process
	node       *kong.Node
	positional int        // how many arguments of the node were given
	value      *kong.Flag // the next word is its value
	noFlags    bool       // after --
	typed      string     // the candidates begin with it

	inHelp bool       // the command is help
	topic  *kong.Node // of help, so far; nil: there is no such topic
}

func newCompleter(p *process, root *kong.Node) *completer { return &completer{p: p, node: root} }

// complete returns the candidates for the last word.
func (c *completer) complete(raw []string) []string {
	words := complete.Words(raw)
	if len(words) == 0 {
		words = []complete.Word{{}}
	}
	last := len(words) - 1
	for _, w := range words[:last] {
		c.step(w.Text)
	}
	return c.candidates(words[last])
}

// step follows a word before the last one.
func (c *completer) step(w string) {
	switch {
	case c.value != nil:
		c.note(c.value, w)
		c.value = nil
	case w == "--" && !c.noFlags:
		c.noFlags = true
	case strings.HasPrefix(w, "--") && !c.noFlags:
		name, value, given := strings.Cut(w[2:], "=")
		if f := c.flag(name); f != nil && given {
			c.note(f, value)
		} else if f != nil && !f.IsBool() && !f.IsCounter() {
			c.value = f
		}
	case strings.HasPrefix(w, "-") && len(w) > 1 && !c.noFlags:
		if f := c.short(w); f != nil && len(w) == 2 && !f.IsBool() && !f.IsCounter() {
			c.value = f
		}
	case c.inHelp:
		if c.topic != nil {
			c.topic = childOf(c.topic, w)
		}
	default:
		if child := c.child(w); child != nil {
			c.inHelp, c.topic = child.Name == "help", c.node
			c.node, c.positional = child, 0
		} else {
			c.positional++
		}
	}
}

// note keeps the database and the agent, whose names will be offered.
func (c *completer) note(f *kong.Flag, value string) {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			value = filepath.Join(home, rest)
		}
	}
	switch f.Name {
	case "db":
		c.p.line.DB = &value
	case "agent":
		c.p.line.Agent = &value
	}
}

func (c *completer) child(name string) *kong.Node {
	for _, n := range c.node.Children {
		if n.Name == name || slices.Contains(n.Aliases, name) {
			return n
		}
	}
	return nil
}

func (c *completer) flag(name string) *kong.Flag {
	return c.findFlag(func(f *kong.Flag) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
}

func (c *completer) short(w string) *kong.Flag {
	return c.findFlag(func(f *kong.Flag) bool { return f.Short != 0 && strings.HasPrefix(w[1:], string(f.Short)) })
}

func (c *completer) findFlag(is func(*kong.Flag) bool) *kong.Flag {
	for _, group := range c.node.AllFlags(false) {
		for _, f := range group {
			if is(f) {
				return f
			}
		}
	}
	return nil
}

// candidates returns the candidates for the last word.
func (c *completer) candidates(w complete.Word) []string {
	c.typed = w.Text
	if c.value != nil {
		return complete.Begin(w.Text, "", c.values(c.value.Value, c.value))
	}
	if c.noFlags || !strings.HasPrefix(w.Text, "-") {
		return complete.Begin(w.Text, "", c.arguments())
	}
	name, value, given := strings.Cut(strings.TrimPrefix(w.Text, "--"), "=")
	if !given {
		return complete.Begin(w.Text, "", c.flags())
	}
	f := c.flag(name)
	if f == nil {
		return nil
	}
	c.typed = value
	keep := w.Text[:len(w.Text)-len(value)]
	if w.Split > 0 {
		keep = ""
	}
	return complete.Begin(value, keep, c.values(f.Value, f))
}

func (c *completer) flags() (all []string) {
	for _, group := range c.node.AllFlags(true) {
		for _, f := range group {
			all = append(all, "--"+f.Name+"\t"+complete.FirstSentence(f.Help))
		}
	}
	slices.Sort(all)
	return all
}

// arguments returns the commands below, or the values of the next argument.
func (c *completer) arguments() (all []string) {
	if c.inHelp {
		return c.topics()
	}
	if c.positional == 0 {
		all = commandsBelow(c.node)
	}
	if n := len(c.node.Positional); n > 0 {
		i := c.positional
		if c.node.Positional[n-1].IsSlice() {
			i = min(i, n-1)
		}
		if i < n {
			all = append(all, c.values(c.node.Positional[i], nil)...)
		}
	}
	return all
}

// topics returns the topics of help below the one that was given.
func (c *completer) topics() (all []string) {
	if c.topic == nil {
		return nil
	}
	all = commandsBelow(c.topic)
	if c.topic.Parent == nil {
		all = append(all, flagsTopic+"\tThe flags of all commands")
	}
	return all
}

func commandsBelow(node *kong.Node) (all []string) {
	for _, n := range node.Children {
		if !n.Hidden && n.Type == kong.CommandNode {
			all = append(all, n.Name+"\t"+complete.FirstSentence(n.Help))
		}
	}
	return all
}

// values returns the values of a flag; those of an argument if the flag is nil.
func (c *completer) values(v *kong.Value, f *kong.Flag) []string {
	switch {
	case v.Enum != "":
		return v.EnumSlice()
	case f != nil && strings.Contains(f.PlaceHolder, "|"):
		return strings.Split(f.PlaceHolder, "|")
	case f != nil && f.Name == "agent":
		return c.names("agents")
	case f != nil && f.Name == "db", v.Name == "source", strings.HasSuffix(v.Tag.Type, "path"), strings.HasPrefix(v.Tag.Type, "existing"):
		return []string{complete.LocalFiles}
	case f != nil:
		return nil
	}
	top := c.node
	for top.Parent != nil && top.Parent.Type == kong.CommandNode {
		top = top.Parent
	}
	if stored := map[string][]string{"files": {"path", "prefix"}, "logs": {"log", "prefix"}, "agents": {"name"}}; slices.Contains(stored[top.Name], v.Name) {
		return c.names(top.Name)
	}
	return nil
}

// names returns the names of agents, or of an agent's files or logs, that begin with
// what was typed. If the database cannot be read quickly, there are no names.
func (c *completer) names(what string) (names []string) {
	path, err := c.p.databaseFile()
	if err != nil {
		return nil
	}
	agent, _, err := c.p.agentName()
	if err != nil && what != "agents" {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.p.ctx, completeWait)
	defer cancel()
	found := make(chan []string, 1)
	go func() { found <- complete.Names(ctx, path, agent, what, c.typed) }()
	select {
	case names = <-found:
	case <-ctx.Done(): // the process ends without it
	}
	return names
}
