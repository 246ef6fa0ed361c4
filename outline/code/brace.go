package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A frame is an open brace.
type frame struct {
	block  bool // definitions within are of interest
	typed  bool // it is a type's, not a namespace's
	named  int  // 1 more than the item that is named after the brace, as of a typedef
	parens int  // open around it
}

// A bracer follows braces.
type bracer struct {
	*coder
	open    []frame
	hidden  int // frames that are no blocks
	types   int // frames that are types'
	parens  int // open since the last brace
	pending frame
	bodyAt  int  // of a type of a script: braces before it are its parameters'
	above   byte // the end of the line above
	scoped  bool // which ends in ::
	listed  bool // the line above goes on in this one, as a list of what a constructor sets
	macro   bool // within a #define or the like
	start   int  // of the statement, or -1
	startN  int  // its line
	until   int  // where the function ends that was declared last, or its body begins
}

// braced reads a language in which braces nest.
func (c *coder) braced() {
	b := bracer{coder: c, start: -1}
	c.codeLines(b.line)
}

func (b *bracer) line(l excerpt.Line) {
	at := skipBlanks(l.Text, 0)
	if b.define && (b.macro || l.Text[at] == '#') {
		if !b.macro {
			b.directive(l.At + at)
		}
		b.macro = strings.HasSuffix(strings.TrimRight(l.Text, " \r"), `\`)
		return
	}
	if b.define && at == 0 && b.Name != "C++" {
		b.recover(l.Text[0])
	}
	if b.parens == 0 && b.hidden == 0 && !b.any && l.At+at >= b.until {
		if f, ok := b.definition(l.At + at); ok {
			b.pending = f
		}
	}
	for i := at; i < len(l.Text); i++ {
		b.char(l.At+i, l.Text[i])
	}
	if b.header {
		code := strings.TrimRight(l.Text, " \t\r")
		b.above = excerpt.LastByte(code)
		b.scoped = strings.HasSuffix(code, "::")
		b.listed = strings.HasSuffix(code, ",") || strings.HasSuffix(code, " :") || strings.HasSuffix(code, "):")
	}
}

// recover forgets braces that branches of #if have left open: in C, a brace in
// the first column is at the top.
func (b *bracer) recover(c byte) {
	switch c {
	case '{':
		b.open, b.hidden, b.types, b.parens = b.open[:0], 0, 0, 0
	case '}':
		for len(b.open) > 1 {
			b.pop()
		}
		b.parens = 0
	}
}

func (b *bracer) char(at int, c byte) {
	if at < b.bodyAt {
		return
	}
	switch c {
	case ' ', '\t', '\r':
		return
	case '(':
		b.parens++
	case ')':
		b.parens = max(0, b.parens-1)
	case ';':
		if b.parens == 0 {
			b.pending = frame{}
			b.start = -1
			return
		}
	case '{':
		if b.any && b.hidden == 0 && b.start >= 0 {
			b.anything(at)
		}
		b.push()
		return
	case '}':
		b.close(at)
		return
	}
	if b.start < 0 {
		b.start, b.startN = at, b.n
	}
}

func (b *bracer) push() {
	if !b.pending.block {
		b.hidden++
	}
	if b.pending.typed {
		b.types++
	}
	b.pending.parens = b.parens
	b.open = append(b.open, b.pending)
	b.pending, b.parens, b.start = frame{}, 0, -1
}

func (b *bracer) pop() frame {
	f := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	if !f.block {
		b.hidden--
	}
	if f.typed {
		b.types--
	}
	b.parens = f.parens
	return f
}

func (b *bracer) close(at int) {
	b.pending, b.start = frame{}, -1
	if len(b.open) == 0 {
		return
	}
	f := b.pop()
	if b.php && f.block && !f.typed && b.branches(excerpt.Word(b.code, skipSpace(b.code, at+1))) {
		b.pending = frame{block: true}
	}
	if b.regexp && len(b.open) == 0 && b.passes(at) {
		b.pending = frame{block: true}
	}
	if f.named == 0 || len(b.open) > 0 && b.hidden > 0 {
		return
	}
	it := &b.defs[f.named-1]
	rest := excerpt.Head(b.in[at+1:], 80)
	if name := strings.TrimSpace(rest[:excerpt.Until(rest, ";")]); name != "" && !strings.Contains(name, "\n") {
		it.Text += " … } " + name
		it.Brief = 0
	}
}

// passes says whether the function which ends at a brace is called at once with
// another that begins on the same line, as the program.
func (b *bracer) passes(at int) bool {
	rest := b.code[at:min(len(b.code), at+160)]
	rest = strings.TrimRight(rest[:excerpt.Until(rest, "\n")], " \r")
	return strings.HasPrefix(strings.TrimLeft(rest[1:], ") "), "(") && strings.HasSuffix(rest, "{") &&
		(strings.Contains(rest, "function") || strings.Contains(rest, "=>"))
}

// anything notes a block by what is before its brace.
func (b *bracer) anything(at int) {
	n, from := b.n, b.at
	b.n = b.startN
	if b.startN != n {
		b.docs = -1
	}
	b.add(b.start, at, 0, 2*min(len(b.open), 1), len(b.open))
	b.n, b.at = n, from
	b.pending = frame{block: b.in[b.start] == '@', typed: true}
}

// directive notes a #define.
func (b *bracer) directive(at int) {
	i := skipBlanks(b.code, at+1)
	if excerpt.Word(b.code, i) != "define" || b.hidden > 0 {
		return
	}
	i = skipBlanks(b.code, i+len("define"))
	name := excerpt.Word(b.code, i)
	guard := strings.TrimRight(strings.ToUpper(name), "_")
	if name == "" || strings.HasSuffix(guard, "_H") || strings.HasSuffix(guard, "_HPP") {
		return
	}
	line := strings.TrimRight(b.in[at:at+excerpt.Until(b.code[at:], "\n")], " \t\r\\")
	b.add(at, at+len(line), i+len(name)-at, 3, 0)
}

// definition notes what is defined at a statement's beginning, and returns what
// the brace that follows it will be.
func (b *bracer) definition(at int) (frame, bool) {
	if at == b.at && b.kinds["@interface"] == block && b.method(at) {
		b.add(at, b.signature(at), 0, 2, 1)
		return frame{}, true
	}
	i := at
	for range 12 {
		i = b.skipMarks(i)
		w := excerpt.Word(b.code, i)
		if i < len(b.code) && b.peek(i) == '@' {
			w = "@" + excerpt.Word(b.code, i+1)
		}
		if w == "" {
			break
		}
		next := skipBlanks(b.code, i+len(w))
		kind := b.kinds[w]
		if b.rust && w == "macro_rules" && b.peek(next) == '!' {
			next = skipBlanks(b.code, next+1)
		}
		switch {
		case w == "template":
			i = skipGroup(b.code, next)
			continue
		case w == "extern" && b.peek(next) == inString:
			for b.peek(next) == inString {
				next++
			}
			if b.peek(skipSpace(b.code, next)) == '{' {
				return frame{block: true}, true
			}
			i = next
			continue
		case b.rust && w == "const" && b.kinds[excerpt.Word(b.code, next)] == modifier:
			i = next
			continue
		case b.calls && b.peek(next) == '(' && kind != minor && w != "function":
			return b.call(at, i)
		case kind == modifier && next > i+len(w) && (excerpt.IsWord(b.peek(next)) || strings.IndexByte("@*[<#~", b.peek(next)) >= 0):
			i = next
			continue
		case kind == modifier && b.peek(next) == '(' && b.rust:
			i = skipGroup(b.code, next)
			continue
		case b.branches(w):
			return frame{block: true}, true
		case kind == otherWord || kind == modifier:
			return b.call(at, i)
		}
		if k := b.kinds[excerpt.Word(b.code, next)]; next > i+len(w) && (k == leaf || k == block) && !b.namedBy(next) {
			i = next
			continue
		}
		return b.keyword(at, i, next, w, kind)
	}
	return b.call(at, i)
}

// branches says whether a word begins a block of PHP that may define functions.
func (b *bracer) branches(w string) bool {
	return b.php && !b.typed() && (w == "if" || w == "else" || w == "elseif")
}

// method says whether one of Objective-C begins here.
func (b *bracer) method(at int) bool {
	if b.peek(at) != '-' && b.peek(at) != '+' {
		return false
	}
	return b.peek(skipBlanks(b.code, at+1)) == '('
}

// namedBy says whether the word is the name and no further word of definition.
func (b *bracer) namedBy(at int) bool {
	next := skipBlanks(b.code, at+len(excerpt.Word(b.code, at)))
	return next >= len(b.code) || strings.IndexByte("=({:;<,\n", b.peek(next)) >= 0 && b.peek(next) != '{' && b.peek(next) != ':' || b.peek(next) == StringFeed
}

// skipMarks goes over annotations and attributes.
func (b *bracer) skipMarks(i int) int {
	for range 8 {
		i = skipBlanks(b.code, i)
		if i+1 >= len(b.code) {
			return i
		}
		switch {
		case b.peek(i) == '@' && b.kinds["@"+excerpt.Word(b.code, i+1)] == otherWord:
			i++
			for i < len(b.code) && (excerpt.IsWord(b.peek(i)) || b.peek(i) == '.' || b.peek(i) == ':') {
				i++
			}
			if b.peek(i) == '(' {
				i = skipGroup(b.code, i)
			}
		case b.peek(i) == '#' && b.peek(i+1) == '[':
			i = skipGroup(b.code, i+1)
		case b.peek(i) == '[' && b.verbatim:
			next := skipGroup(b.code, i)
			if next == i {
				return i
			}
			i = next
		case b.peek(i) == '*' && b.regexp:
			i++
		default:
			return i
		}
	}
	return i
}

// keyword notes a definition that a word announces.
func (b *bracer) keyword(at, i, next int, w string, kind wordKind) (frame, bool) {
	if next >= len(b.code) || strings.IndexByte("=:.,)+-?;!|&", b.peek(next)) >= 0 && !signNames(w) {
		return frame{}, false
	}
	end := b.signature(at)
	if (w == "typedef" || kind == minor) && (b.peek(next) == '\n' || b.peek(next) == '\r') {
		end = b.signature(skipSpace(b.code, next))
	}
	alias := strings.HasPrefix(b.code[at:end], "typedef") && b.peek(end) == ';'
	if b.define || b.header {
		switch w {
		case "struct", "union", "enum", "class":
			rest := b.code[next:min(len(b.code), end+600)]
			stop := strings.IndexAny(rest, "{;=(")
			if stop >= 0 && rest[stop] == ';' && alias {
				break
			}
			if stop < 0 || rest[stop] == ';' || rest[stop] == '=' {
				return frame{}, false
			}
			if rest[stop] == '(' {
				return b.call(at, i)
			}
		}
	}
	f := frame{block: kind == block, typed: kind == block && w != "namespace" && w != "mod" && w != "module" && w != "global"}
	rank := b.rank()
	if kind == minor {
		if b.typed() {
			return frame{}, false
		}
		rank = 3
		value := b.code[next:min(len(b.code), next+160)]
		value = value[:excerpt.Until(value, "\n")]
		if b.regexp && (strings.Contains(value, "=>") || strings.Contains(value, "function") || strings.Contains(value, "class ")) {
			rank = 0
			if _, first, _ := strings.Cut(value, "="); invoked(first) {
				end, f.block = next+len(value), true
			}
		} else if b.regexp && strings.Contains(value, "require(") {
			return frame{}, false
		}
	}
	name := next + len(excerpt.Word(b.code, next))
	if w == "impl" || w == "extension" || next == name || alias {
		name = end
	}
	if b.regexp && kind == block {
		if body := b.bodyBrace(next); body > end {
			b.bodyAt, end = body, body
		}
	}
	if w == "macro_rules" {
		end = name
	}
	b.add(at, end, name-at, rank, b.types)
	if strings.HasPrefix(b.code[at:], "typedef") && end < len(b.code) && b.peek(skipSpace(b.code, end)) == '{' {
		f.named = len(b.defs)
	}
	return f, true
}

// bodyBrace returns where the braces open that are not of type parameters, or 0.
func (b *bracer) bodyBrace(i int) int {
	for limit := min(len(b.code), i+600); i < limit; i++ {
		switch b.code[i] {
		case '<':
			next := skipTypes(b.code, i)
			if next == i {
				return 0
			}
			i = next - 1
		case '{':
			return i
		case ';', '}', '(', '=':
			return 0
		}
	}
	return 0
}

// signNames says whether the name after a word may be or begin with a sign.
func signNames(word string) bool {
	switch word {
	case "macro_rules", "def", "func", "init", "function":
		return true
	}
	return false
}

// rank is 0 at the top and in namespaces, and 2 in types.
func (b *bracer) rank() int {
	if b.typed() {
		return 2
	}
	return 0
}

func (b *bracer) typed() bool { return b.types > 0 }

// skipSpace goes over blanks and line ends, if they are not many.
func skipSpace(code string, i int) int {
	for range 200 {
		if i >= len(code) || strings.IndexByte(" \t\r\n", code[i]) < 0 {
			break
		}
		i++
	}
	return i
}
