package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// neverNames are words before a parenthesis that are not a function's name. Nor
// are notNames where no type is before them, and they begin no definitions.
const (
	neverNames = " if for while switch else do sizeof synchronized typeof case goto static_assert foreach elif "
	notNames   = neverNames + "return catch new throw using lock assert delete await yield super this defined in of function import package "
)

// call notes a function that has no word of its own: its type, its name,
// parentheses, and a body. It may be that of JavaScript which wraps a program.
func (b *bracer) call(at, from int) (frame, bool) {
	if b.regexp && len(b.open) == 0 && wraps(b.code[at:min(len(b.code), at+120)]) {
		return frame{block: true}, true
	}
	if b.regexp && exports(b.code[at:min(len(b.code), at+120)]) {
		if !strings.HasPrefix(b.code[at:], "module") && !strings.HasPrefix(b.code[at:], "export") {
			b.add(at, b.signature(at), 0, b.rank(), b.types)
		}
		return frame{block: true, typed: true}, true
	}
	if b.regexp {
		if function, object := b.property(from); function || object {
			b.add(at, b.signature(at), 0, b.rank(), b.types)
			return frame{block: object, typed: object}, true
		}
	}
	if !b.calls || b.members && !b.typed() || b.listed {
		return frame{}, false
	}
	paren, end, words := b.openParen(from)
	if paren < 0 {
		return frame{}, false
	}
	name := end
	for name > from && excerpt.IsWord(b.peek(name-1)) {
		name--
	}
	id := b.code[name:end]
	brief := end
	if id == "operator" {
		brief = paren
	} else if id == "" && b.regexp && b.peek(end-1) == ']' {
		id = "[]"
	}
	switch {
	case id == "" || !b.canName(id, from, words):
		return frame{}, false
	case name > from && b.peek(name-1) == '.' && !(b.verbatim && words > 0 || b.Name == "Dart"):
		return frame{}, false
	case words == 0 && !b.typed() && !b.typeAbove() && !(b.define && at == b.at && (!shouts(id) || b.around(at, id, paren) > 0)) && !strings.Contains(b.code[from:paren], "::"):
		return frame{}, false
	}
	if next := b.around(at, id, paren); next > 0 {
		paren, brief = next, next
	}
	end, ok := b.body(paren, words > 0 || b.regexp || b.Name == "C++" || b.Name == "C header" || b.Name == "Dart")
	if !ok {
		return frame{}, false
	}
	b.until = end
	if !b.members {
		end = b.signature(paren)
	}
	b.add(at, end, brief-at, b.rank(), b.types)
	return frame{}, true
}

// canName says whether a function may have the name, after so many words.
func (b *bracer) canName(id string, from, words int) bool {
	first := excerpt.Word(b.code, from)
	switch {
	case strings.Contains(neverNames, " "+id+" "):
		return false
	case words > 0 || b.Name == "Dart":
		return !strings.Contains(notNames, " "+first+" ")
	}
	return b.regexp && b.typed() || !strings.Contains(notNames, " "+id+" ") && !strings.Contains(notNames, " "+first+" ")
}

// around returns where the parameters begin of a function of C whose name a macro
// makes: NAME(x)(...); or 0.
func (b *bracer) around(at int, id string, paren int) int {
	if !b.define || at != b.at || !shouts(id) {
		return 0
	}
	if next := skipBlanks(b.code, max(0, b.closeParen(paren))); b.peek(next) == '(' {
		return next
	}
	return 0
}

// shouts says whether a name has no small letters.
func shouts(id string) bool {
	for i := range len(id) {
		if id[i] >= 'a' && id[i] <= 'z' {
			return false
		}
	}
	return true
}

// typeAbove says whether the line above can be the type of the function here.
func (b *bracer) typeAbove() bool {
	return b.scoped || b.header && (excerpt.IsWord(b.above) || strings.IndexByte(">*&", b.above) >= 0)
}

// wraps says whether a whole program is in a function that begins here.
func wraps(code string) bool {
	code = code[:excerpt.Until(code, "\n")]
	if !strings.HasSuffix(strings.TrimRight(code, " \r"), "{") {
		return false
	}
	head := strings.TrimLeft(code, "(!;+ ")
	return len(head) < len(code) && (strings.HasPrefix(head, "function") || strings.HasPrefix(head, "async function") || strings.HasPrefix(head, "()")) ||
		strings.HasPrefix(head, "define(") || strings.HasPrefix(code, "(")
}

// invoked says whether a function begins here that is called at once.
func invoked(code string) bool {
	code = strings.TrimSpace(code)
	return strings.HasSuffix(code, "{") && (strings.HasPrefix(code, "(function") || strings.HasPrefix(code, "(()"))
}

// exports says whether an object begins here whose functions a module gives out.
func exports(code string) bool {
	code = strings.TrimRight(code[:excerpt.Until(code, "\n")], " \r")
	return strings.HasSuffix(code, "{") && !strings.Contains(code, "(") && (strings.HasSuffix(code, ".prototype = {") || strings.HasPrefix(code, "module.exports") || strings.HasPrefix(code, "exports") || strings.HasPrefix(code, "export default"))
}

// property says whether a key that begins here holds a function, or an object.
func (b *bracer) property(at int) (function, object bool) {
	top := !b.typed()
	at += len(excerpt.Word(b.code, at))
	for top && b.peek(at) == '.' {
		at += 1 + len(excerpt.Word(b.code, at+1))
	}
	at = skipBlanks(b.code, at)
	if b.peek(at) != '=' && (top || b.peek(at) != ':') {
		return false, false
	}
	value := b.code[at+1 : min(len(b.code), at+160)]
	value = strings.TrimPrefix(strings.TrimSpace(value[:excerpt.Until(value, "\n")]), "async ")
	if value == "{" && !top || strings.HasPrefix(value, "class") {
		return false, true
	}
	return strings.HasPrefix(value, "function") || (strings.HasPrefix(value, "(") || excerpt.IsWord(excerpt.LastByte(excerpt.Word(value, 0)))) && strings.Contains(value, "=>"), false
}

// openParen returns where the parameters begin, where the name before them ends,
// and how many words are before the name; or -1.
func (b *bracer) openParen(from int) (at, name, words int) {
	for i := from; i < min(len(b.code), from+240); i++ {
		switch c := b.peek(i); {
		case c == '(' && b.define && marker(b.code[from:max(from, name)]):
			end := b.closeParen(i)
			if end < 0 {
				return -1, 0, 0
			}
			i = end - 1
		case c == '(':
			if next := b.peek(skipBlanks(b.code, i+1)); next == '*' || next == '^' {
				return -1, 0, 0 // the pointer to one
			}
			return i, name, words
		case c == ':' && i == from:
			return -1, 0, 0
		case c == '<':
			next := skipTypes(b.code, i)
			if next == i {
				return -1, 0, 0
			}
			i = next - 1
		case excerpt.IsWord(c):
			if i > from && (b.peek(i-1) == ' ' || b.peek(i-1) == '*' || b.peek(i-1) == '&') {
				words++
			}
			if c == 'o' && b.operators && !excerpt.IsWord(b.peek(i-1)) && excerpt.Word(b.code, i) == "operator" {
				if paren := b.operatorParen(i + len("operator")); paren > 0 {
					return paren, i + len("operator"), words
				}
			}
			name = i + 1
		case strings.IndexByte(" *&:~[]?.,#", c) < 0:
			return -1, 0, 0
		case c != ' ' && (c != '?' || !b.regexp):
			name = i + 1 // of something without a name
		}
	}
	return -1, 0, 0
}

// marker says whether what is before a parenthesis is a word of C that only
// marks what it stands before.
func marker(code string) bool {
	return strings.HasSuffix(code, "__attribute__") || strings.HasSuffix(code, "__declspec") || strings.HasSuffix(code, "lignas")
}

// operatorParen returns where the parameters begin of the operator whose sign,
// or type, begins at i; or 0.
func (b *bracer) operatorParen(i int) int {
	i = skipBlanks(b.code, i)
	if b.peek(i) == '(' && b.peek(i+1) == ')' {
		i += 2
	}
	n := strings.IndexAny(b.code[i:min(len(b.code), i+80)], "(\n;{}")
	if n < 0 || b.peek(i+n) != '(' {
		return 0
	}
	return i + n
}

// skipTypes returns where the type parameters end that begin at i, or i.
func skipTypes(code string, i int) int {
	if strings.HasPrefix(code[i:], "<<") {
		return i
	}
	depth := 0
	for j := i; j < min(len(code), i+400); j++ {
		switch code[j] {
		case '<', '(', '[', '{':
			depth++
		case '>':
			if j > 0 && (code[j-1] == '=' || code[j-1] == '-') {
				continue
			}
			depth--
		case ')', ']', '}':
			depth--
		case ';':
			if depth == 1 {
				return i
			}
		}
		if depth <= 0 {
			return j + 1
		}
	}
	return i
}

// body returns where the body of a function begins after its parameters or, where
// that is enough to define it, the end of the statement.
func (b *bracer) body(paren int, declares bool) (at int, ok bool) {
	i := b.closeParen(paren)
	if i < 0 {
		return 0, false
	}
	declares = declares && (b.header || b.typed())
	newlines := 0
	after := false // something is between the parameters and the body
	depth, old := 0, false
	for limit := min(len(b.code), i+400); i < limit; i++ {
		switch c := b.code[i]; c {
		case '{':
			return i, true
		case ';':
			if newlines == 0 || !b.define || b.header {
				return i, declares
			}
			newlines, old = 1, true // the types of parameters may be below them
		case '=':
			if depth == 0 {
				return i, declares || b.peek(i+1) == '>'
			}
		case '}':
			return i, false
		case ',':
			if depth > 0 && b.Name == "C header" {
				continue
			}
			if !b.members || !after {
				return i, b.Name == "C++" || b.header && b.typed()
			}
			newlines = 0
		case '(', '[', '<':
			if old && c == '(' {
				return i, false
			}
			depth++
		case ')', ']', '>':
			depth--
		case '\n':
			if newlines++; newlines > 2 && (newlines > 5 || b.Name != "C header") {
				return i, false
			}
		case ' ', '\t', '\r':
		default:
			after = true
		}
	}
	return i, false
}

// closeParen returns what follows the parenthesis that closes the one at i, or -1.
func (b *bracer) closeParen(i int) int {
	depth, braces := 0, 0
	for limit := min(len(b.code), i+8000); i < limit; i++ {
		switch b.code[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '{':
			braces++
		case '}':
			if braces--; braces < 0 {
				return -1
			}
		case ';':
			if braces == 0 {
				return -1
			}
		}
	}
	return -1
}
