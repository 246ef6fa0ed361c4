package summarize

import "strings"

// notNames are words before a parenthesis that are not a function's name, and
// words that begin statements which are no definitions.
const notNames = " if for while switch return catch else do new throw sizeof synchronized using lock assert delete await yield super this typeof case goto static_assert foreach elif defined in of function import package "

// call notes a function that has no word of its own: its type, its name,
// parentheses, and a body. It may be that of JavaScript which wraps a program.
func (b *bracer) call(at, from int) (frame, bool) {
	if b.regexp && len(b.open) == 0 && wraps(b.code[at:min(len(b.code), at+120)]) {
		return frame{block: true}, true
	}
	if !b.calls || b.members && !b.typed() {
		return frame{}, false
	}
	paren, words := b.openParen(from)
	if paren < 0 {
		return frame{}, false
	}
	name := paren
	for name > from && b.peek(name-1) == ' ' {
		name--
	}
	end := name
	for name > from && isWord(b.peek(name-1)) {
		name--
	}
	id := b.code[name:end]
	switch {
	case id == "" || strings.Contains(notNames, " "+id+" ") || strings.Contains(notNames, " "+word(b.code, from)+" "):
		return frame{}, false
	case name > from && b.peek(name-1) == '.':
		return frame{}, false
	case words == 0 && !b.typed() && !(b.define && at == b.at && strings.ToUpper(id) != id) && !strings.Contains(b.code[from:paren], "::"):
		return frame{}, false
	}
	if !b.hasBody(paren, words > 0 || b.name == "C++" || b.name == "C header") {
		return frame{}, false
	}
	b.add(at, b.signature(at), paren-at, b.rank(), b.depth())
	return frame{}, true
}

// wraps says whether a whole program is in a function that begins here.
func wraps(code string) bool {
	code = code[:indexOr(code, "\n")]
	if !strings.HasSuffix(strings.TrimRight(code, " \r"), "{") {
		return false
	}
	head := strings.TrimLeft(code, "(!;+ ")
	return len(head) < len(code) && (strings.HasPrefix(head, "function") || strings.HasPrefix(head, "async function") || strings.HasPrefix(head, "()")) ||
		strings.HasPrefix(head, "define(") || strings.HasPrefix(code, "(")
}

// openParen returns where the parameters begin, and how many words are before
// the name; or -1.
func (b *bracer) openParen(from int) (at, words int) {
	for i := from; i < min(len(b.code), from+240); i++ {
		switch c := b.peek(i); {
		case c == '(':
			return i, words
		case c == '<':
			if next := skipGroup(b.code, i); next > i {
				i = next - 1
			}
		case isWord(c):
			if i > from && (b.peek(i-1) == ' ' || b.peek(i-1) == '*' || b.peek(i-1) == '&') {
				words++
			}
		case strings.IndexByte(" *&:~[]?.,#", c) < 0:
			return -1, 0
		}
	}
	return -1, 0
}

// hasBody says whether a function's body follows its parameters or, where that
// is enough to define it, the end of the statement.
func (b *bracer) hasBody(paren int, declares bool) bool {
	depth, i := 0, paren
	limit := min(len(b.code), paren+800)
	for ; i < limit; i++ {
		if b.peek(i) == '(' {
			depth++
		} else if b.peek(i) == ')' {
			if depth--; depth == 0 {
				break
			}
		} else if b.peek(i) == ';' {
			return false
		}
	}
	declares = declares && (b.header || b.typed())
	newlines := 0
	for i++; i < min(limit, i+300); i++ {
		switch b.peek(i) {
		case '{':
			return true
		case ';':
			return declares
		case '=':
			return declares || b.typed() && strings.HasPrefix(b.code[i:], "=>")
		case '}', ',':
			return b.name == "C++" && b.peek(i) == ','
		case '\n':
			if newlines++; newlines > 2 {
				return false
			}
		}
	}
	return false
}
