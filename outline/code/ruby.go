package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// Words of Ruby that name the block they are called with: those that hold others,
// and those that do not.
const (
	rubyGroups = " describe context feature shared_examples shared_context namespace "
	rubyCases  = " it specify scenario test task "
)

// rubyLine notes a constant, or a call whose block is a part of tests or tasks.
func (c *coder) rubyLine(l excerpt.Line, from, depth int) wordKind {
	code := l.Text
	if at := strings.IndexByte(code, StringFeed); at >= 0 {
		code = code[:at] // a string goes on below
	}
	code = strings.TrimRight(code, " \t\r")
	name := excerpt.Word(code, from)
	if name == "RSpec" && strings.HasPrefix(code[from:], "RSpec.") {
		name = excerpt.Word(code, from+len("RSpec."))
	}
	switch {
	case name == "":
	case strings.Contains(rubyGroups, " "+name+" "):
		return c.rubyCall(l, code, from, depth, block)
	case strings.Contains(rubyCases, " "+name+" "):
		return c.rubyCall(l, code, from, depth, leaf)
	case name[0] >= 'A' && name[0] <= 'Z':
		c.rubyConstant(l, code, from, depth)
	}
	return otherWord
}

// rubyCall notes a call that has an argument and ends its line with a block's
// beginning.
func (c *coder) rubyCall(l excerpt.Line, code string, from, depth int, kind wordKind) wordKind {
	name := from + len(excerpt.Word(code, from))
	if code[from] == 'R' {
		name += 1 + len(excerpt.Word(code, name+1))
	}
	if strings.HasSuffix(code, "|") { // what the block is given
		code = code[:max(0, strings.IndexByte(code, '|'))]
		code = strings.TrimRight(code, " ")
	}
	end, ok := strings.CutSuffix(code, " do")
	if !ok {
		end, ok = strings.CutSuffix(code, "{")
	}
	arg := skipBlanks(end, name)
	if !ok || arg >= len(end) || end[name] != ' ' && end[name] != '(' || strings.IndexByte("=.,?&|", end[arg]) >= 0 {
		return otherWord
	}
	c.add(l.At+from, l.At+len(end), 0, 2*min(depth, 2), depth)
	return kind
}

// rubyConstant notes A = and A::B =.
func (c *coder) rubyConstant(l excerpt.Line, code string, from, depth int) {
	end := from + len(excerpt.Word(code, from))
	for strings.HasPrefix(code[end:], "::") {
		end += 2 + len(excerpt.Word(code, end+2))
	}
	value, ok := strings.CutPrefix(strings.TrimPrefix(code[skipBlanks(code, end):], "||"), "=")
	if ok && (value == "" || strings.IndexByte("=~>", value[0]) < 0) {
		c.add(l.At+from, l.At+len(code), end-from, 3, depth)
	}
}
