package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A level is a definition that later lines may be within.
type level struct {
	indent int
	block  bool
}

// indented reads a language by its lines and how far they are indented.
func (c *coder) indented() {
	var open []level
	hidden, brackets := 0, 0
	slash := false
	c.codeLines(func(l excerpt.Line) {
		goesOn := slash
		if c.brackets {
			goesOn = goesOn || brackets > 0 && !c.defines(l)
			if !goesOn {
				brackets = 0
			}
			brackets = addBrackets(brackets, l.Text)
			slash = l.Text[len(l.Text)-1] == '\\'
		}
		if goesOn {
			return
		}
		indent := l.Indent()
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			if !open[len(open)-1].block {
				hidden--
			}
			open = open[:len(open)-1]
		}
		if hidden > 0 {
			return
		}
		kind := c.lineKind(l, indent, len(open))
		if kind == block || kind == leaf && indentNests(c.Name) {
			open = append(open, level{indent, kind == block})
			if kind != block {
				hidden++
			}
		}
	})
}

// defines says whether a line can be no part of an expression.
func (c *coder) defines(l excerpt.Line) bool {
	at := skipBlanks(l.Text, 0)
	w := excerpt.Word(l.Text, at)
	if k := c.kinds[w]; k != block && k != leaf {
		return false
	}
	at += len(w)
	return at < len(l.Text) && l.Text[at] == ' '
}

var bracketSteps = [256]int8{'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}

// addBrackets is how many brackets are open after a line.
func addBrackets(n int, code string) int {
	for i := range len(code) {
		n += int(bracketSteps[code[i]])
	}
	return max(0, n)
}

func indentNests(name string) bool {
	switch name {
	case "Assembly", "Makefile", "Dockerfile", "Perl":
		return false
	}
	return true
}

// lineKind notes what a line defines, if anything, and says what kind of word did.
func (c *coder) lineKind(l excerpt.Line, indent, depth int) wordKind {
	at := l.At + skipBlanks(l.Text, 0)
	i := at
	for range 4 {
		w := excerpt.Word(c.code, i)
		next := skipBlanks(c.code, i+len(w))
		kind := c.kinds[w]
		if kind == otherWord || next == i+len(w) || strings.IndexByte("=:.,)", c.peek(next)) >= 0 && c.Name != "Assembly" && (w != "def" || c.peek(next+1) <= ' ') {
			break
		}
		if kind == modifier {
			i = next
			continue
		}
		name := next
		for name < len(c.code) && c.peek(name) > ' ' && strings.IndexByte("(:{", c.peek(name)) < 0 {
			name++
		}
		if name == next {
			break
		}
		rank := 2 * min(depth, 2)
		if kind == minor {
			rank = 3
		}
		end := c.signature(at)
		c.add(at, end, name-at, rank, depth)
		if c.Name == "Python" {
			c.docstring(end)
		}
		return kind
	}
	if c.Name == "Shell" && c.shellFunction(l, at) {
		return leaf
	}
	if c.Name == "Ruby" {
		return c.rubyLine(l, at-l.At, depth)
	}
	if indent == 0 {
		c.unworded(l, at)
	}
	return otherWord
}

// docstring takes what a Python definition says about itself.
func (c *coder) docstring(end int) {
	rest := strings.TrimLeft(excerpt.Head(c.in[end:], 400), " \t\r\n")
	bare := strings.TrimLeft(rest, "ru")
	if strings.HasPrefix(bare, `"""`) || strings.HasPrefix(bare, `'''`) {
		if at := strings.Index(bare[3:], bare[:3]); at >= 0 {
			bare = bare[:3+at]
		}
		c.defs[len(c.defs)-1].Doc = bare
	}
}

// unworded notes definitions that no word announces.
func (c *coder) unworded(l excerpt.Line, at int) {
	name := excerpt.Word(l.Text, 0)
	next := skipBlanks(l.Text, len(name))
	rest := l.Text[next:]
	switch c.Name {
	case "Python":
		if name != "" && shouts(name) && (strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, ":")) {
			c.add(at, c.signature(at), len(name), 3, 0)
		}
	case "Makefile":
		if i := strings.IndexAny(l.Text, ":="); i > 0 && l.Text[i] == ':' && !strings.HasPrefix(l.Text[i:], ":=") && l.Text[0] > ' ' && l.Text[0] != '.' {
			c.add(at, at+len(l.Text), i, 0, 0)
		} else if i > 0 && l.Text[0] != '\t' {
			c.add(at, at+len(l.Text), i, 3, 0)
		}
	case "Assembly":
		if name != "" && strings.HasPrefix(rest, ":") {
			c.add(at, at+len(name)+1, 0, 1, 0)
		}
	case "Lua":
		if i := strings.Index(l.Text, "function"); i > 0 && strings.HasSuffix(strings.TrimRight(l.Text[:i], " "), "=") {
			c.add(at, c.signature(at), 0, 0, 0)
		}
	}
}

// shellFunction notes a function that no word announces: name().
func (c *coder) shellFunction(l excerpt.Line, at int) bool {
	end := at - l.At
	for end < len(l.Text) && (strings.IndexByte("-:.+@", l.Text[end]) >= 0 || excerpt.IsWord(l.Text[end])) {
		end++
	}
	next := skipBlanks(l.Text, end)
	if next == at-l.At || next >= len(l.Text) || l.Text[next] != '(' {
		return false
	}
	if next = skipBlanks(l.Text, next+1); next >= len(l.Text) || l.Text[next] != ')' {
		return false
	}
	c.add(at, c.signature(at), 0, 0, 0)
	return true
}
