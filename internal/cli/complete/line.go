package complete

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// Options are what [Line] needs besides the words.
type Options struct {
	Commands *kong.Node
	Database *string // the file, if the environment names one
	Agent    *string // if the environment names one
	Tenant   *string // if the environment names one

	// Names returns the names of a kind that begin with a prefix.
	Names func(in Memory, kind, prefix string) []string
}

// A Memory is what the flags or the environment name. A field is nil if nobody has named it.
type Memory struct{ Database, Agent, Tenant *string }

// FlagsTopic is the topic of help that is not a command.
const FlagsTopic = "flags"

// Line returns the candidates for the last word of a command line. Each is followed by
// a tab and its help if it has one.
func Line(raw []string, o Options) []string {
	c := &completer{o: o, node: o.Commands}
	words := Words(raw)
	if len(words) == 0 {
		words = []Word{{}}
	}
	last := len(words) - 1
	for _, w := range words[:last] {
		c.step(w.Text)
	}
	return c.candidates(words[last])
}

// completer walks the words of a command line through the model of the commands.
type completer struct {
	o          Options
	node       *kong.Node
	positional int        // how many arguments of the node were given
	value      *kong.Flag // the next word is its value
	noFlags    bool       // after --
	typed      string     // the candidates begin with it

	inHelp bool       // the command is help
	topic  *kong.Node // of help, so far; nil: there is no such topic
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
			c.topic = Command(c.topic, w)
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

// note keeps the database, the agent and the tenant, whose names will be offered.
func (c *completer) note(f *kong.Flag, value string) {
	switch f.Name {
	case "db":
		if path, err := native.Expand(value); err == nil {
			value = path
		}
		c.o.Database = &value
	case "agent":
		c.o.Agent = &value
	case "tenant":
		c.o.Tenant = &value
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
func (c *completer) candidates(w Word) []string {
	c.typed = w.Text
	if c.value != nil {
		return Begin(w.Text, "", c.values(c.value.Value, c.value))
	}
	if c.noFlags || !strings.HasPrefix(w.Text, "-") {
		return Begin(w.Text, "", c.arguments())
	}
	name, value, given := strings.Cut(strings.TrimPrefix(w.Text, "--"), "=")
	if !given {
		return Begin(w.Text, "", c.flags())
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
	return Begin(value, keep, c.values(f.Value, f))
}

func (c *completer) flags() (all []string) {
	for _, group := range c.node.AllFlags(true) {
		for _, f := range group {
			all = append(all, "--"+f.Name+"\t"+FirstSentence(f.Help))
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
		all = append(all, FlagsTopic+"\tThe flags of all commands")
	}
	return all
}

func commandsBelow(node *kong.Node) (all []string) {
	for _, n := range node.Children {
		if !n.Hidden && n.Type == kong.CommandNode {
			all = append(all, n.Name+"\t"+FirstSentence(n.Help))
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
		return c.names(Agents)
	case f != nil && f.Name == "tenant":
		return c.names(Tenants)
	case strings.HasSuffix(v.Tag.Type, "path"):
		return []string{LocalFiles}
	case f != nil:
		return nil
	}
	top := c.node
	for top.Parent != nil && top.Parent.Type == kong.CommandNode {
		top = top.Parent
	}
	if stored := map[string][]string{"files": {"path", "prefix"}, "logs": {"log", "prefix"}, "agents": {"name"},
		"keys": {"id"}, "tenants": {"tenant"}}; slices.Contains(stored[top.Name], v.Name) {
		return c.names(top.Name)
	}
	return nil
}

func (c *completer) names(kind string) []string {
	return c.o.Names(Memory{c.o.Database, c.o.Agent, c.o.Tenant}, kind, c.typed)
}

// Command returns the command of a name below a node, or nil.
func Command(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name && child.Type == kong.CommandNode {
			return child
		}
	}
	return nil
}
