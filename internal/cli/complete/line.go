package complete

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A Memory says whose names to offer: the values of the flags that were given, by the names of
// the flags.
type Memory map[string]string

// Line returns the candidates for the last word of a command line. Each is followed by
// a tab and its help if it has one. Stored returns the names of a kind that begin with a prefix.
func Line(raw []string, commands *kong.Node, stored func(in Memory, kind, prefix string) []string) []string {
	c := &completer{stored: stored, node: commands, memory: Memory{}}
	words, split := join(raw)
	if len(words) > 1 && words[0] == "help" { // its topics are the commands
		words = words[1:]
	}
	last := len(words) - 1
	for _, w := range words[:last] {
		c.step(w)
	}
	return c.candidates(words[last], split)
}

// completer walks the words of a command line through the model of the commands.
type completer struct {
	stored     func(in Memory, kind, prefix string) []string
	memory     Memory
	node       *kong.Node
	positional int        // how many arguments of the node were given
	value      *kong.Flag // the next word is its value
	noFlags    bool       // after --
	typed      string     // the candidates begin with it
}

// step follows a word before the last one.
func (c *completer) step(w string) {
	flag, given := c.flag(w)
	switch {
	case c.value != nil:
		c.memory[c.value.Name], c.value = w, nil
	case c.noFlags || len(w) < 2 || w[0] != '-':
		if child := Command(c.node, w); child != nil {
			c.node, c.positional = child, 0
		} else {
			c.positional++
		}
	case w == "--":
		c.noFlags = true
	case flag != nil && given:
		_, c.memory[flag.Name], _ = strings.Cut(w, "=")
	case flag != nil && !flag.IsBool():
		c.value = flag
	}
}

// flag returns the flag of a word, and whether the word has its value too. A word without a flag
// of the command has none.
func (c *completer) flag(w string) (flag *kong.Flag, given bool) {
	name, _, given := strings.Cut(w, "=")
	for _, group := range c.node.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
				return f, given
			}
		}
	}
	return nil, given
}

// candidates returns the candidates for the last word, of which the shell keeps split bytes.
func (c *completer) candidates(w string, split int) []string {
	c.typed = w
	if c.value != nil {
		return begin(w, "", c.values(c.value.Value, c.value))
	}
	if c.noFlags || !strings.HasPrefix(w, "-") {
		return begin(w, "", c.arguments())
	}
	flag, given := c.flag(w)
	switch {
	case !given:
		return begin(w, "", c.flags())
	case flag == nil:
		return nil
	}
	name, value, _ := strings.Cut(w, "=")
	c.typed = value
	return begin(value, (name + "=")[split:], c.values(flag.Value, flag))
}

func (c *completer) flags() (all []string) {
	for _, group := range c.node.AllFlags(true) {
		for _, f := range group {
			all = append(all, "--"+f.Name+"\t"+firstSentence(f.Help))
		}
	}
	slices.Sort(all)
	return all
}

// arguments returns the commands below, or the values of the next argument.
func (c *completer) arguments() (all []string) {
	if c.positional == 0 {
		for _, n := range c.node.Children {
			if !n.Hidden {
				all = append(all, n.Name+"\t"+firstSentence(n.Help))
			}
		}
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

// namesOf says which arguments are stored names, by the command and the argument. The kind is
// that of the command.
var namesOf = map[string][]string{Files: {"path", "prefix"}, Logs: {"log", "prefix"}, Agents: {"name"}}

// values returns the values of a flag; those of an argument if the flag is nil.
func (c *completer) values(v *kong.Value, f *kong.Flag) []string {
	top := c.node
	for top.Parent != nil && top.Parent.Parent != nil {
		top = top.Parent
	}
	switch {
	case v.Enum != "":
		return v.EnumSlice()
	case f != nil && strings.Contains(f.PlaceHolder, "|"):
		return strings.Split(f.PlaceHolder, "|")
	case v.Name == "agent":
		return c.stored(c.memory, Agents, c.typed)
	case strings.HasSuffix(v.Tag.Type, "path"):
		return []string{LocalFiles}
	case f == nil && slices.Contains(namesOf[top.Name], v.Name):
		return c.stored(c.memory, top.Name, c.typed)
	}
	return nil
}

// Command returns the command of a name below a node, or nil.
func Command(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}
