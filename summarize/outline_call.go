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
	if b.regexp && exports(b.code[at:min(len(b.code), at+120)]) {
		return frame{block: true, typed: true}, true
	}
	if b.regexp {
		if function, object := b.property(from); function || object {
			b.add(at, b.signature(at), 0, b.rank(), b.types)
			return frame{block: object, typed: object}, true
		}
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
	case words == 0 && !b.typed() && !b.typeAbove() && !(b.define && at == b.at && strings.ToUpper(id) != id) && !strings.Contains(b.code[from:paren], "::"):
		return frame{}, false
	}
	if !b.hasBody(paren, words > 0 || b.regexp || b.name == "C++" || b.name == "C header") {
		return frame{}, false
	}
	b.add(at, b.signature(at), paren-at, b.rank(), b.types)
	return frame{}, true
}

// typeAbove says whether the line above can be the type of the function here.
func (b *bracer) typeAbove() bool {
	return b.header && (isWord(b.above) || strings.IndexByte(">*&", b.above) >= 0)
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

// exports says whether an object begins here whose functions a module gives out.
func exports(code string) bool {
	code = strings.TrimRight(code[:indexOr(code, "\n")], " \r")
	return strings.HasSuffix(code, "{") && !strings.Contains(code, "(") && (strings.HasPrefix(code, "module.exports") || strings.HasPrefix(code, "exports") || strings.HasPrefix(code, "export default"))
}

// property says whether a key that begins here holds a function, or an object.
func (b *bracer) property(at int) (function, object bool) {
	top := !b.typed()
	at += len(word(b.code, at))
	for top && b.peek(at) == '.' {
		at += 1 + len(word(b.code, at+1))
	}
	at = skipBlanks(b.code, at)
	if b.peek(at) != '=' && (top || b.peek(at) != ':') {
		return false, false
	}
	value := b.code[at+1 : min(len(b.code), at+160)]
	value = strings.TrimPrefix(strings.TrimSpace(value[:indexOr(value, "\n")]), "async ")
	if value == "{" && !top || strings.HasPrefix(value, "class") {
		return false, true
	}
	return strings.HasPrefix(value, "function") || (strings.HasPrefix(value, "(") || isWord(lastByte(word(value, 0)))) && strings.Contains(value, "=>"), false
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
