package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

const mostWords = 16 // before the one that defines something

// classify notes what the header that ends at a place defines, if anything, and
// returns the kind of the frame that a brace after it opens.
func (h *headerReader) classify(end int, sign byte) kind {
	p := place{from: h.start, at: h.start, end: end}
	at := h.skipMarks(p.from, end)
	if at >= end {
		return other
	}
	if n := strings.LastIndexByte(h.code[p.from:at], '\n'); n >= 0 {
		p.at = skipBlanks(h.code, p.from+n+1) // annotations have lines of their own
	}
	here := where(0)
	if h.parens == 0 {
		here = outside << min(h.types, 1)
	}
	if sign == '{' {
		here |= opening
	}
	if q := h.match(&p, here); q != nil {
		if q.kind >= leaf || p.name > 0 {
			p.end = h.signature(max(p.at, p.name), p.end)
			h.note(p, max(q.rank, h.rank()), max(h.types, q.rank/2))
		}
		return q.kind
	}
	if h.parens == 0 || h.preprocessed {
		return h.header(p, at, sign)
	}
	return other
}

// note adds a definition that begins its line. Programs that are packed into few
// lines have none.
func (h *headerReader) note(p place, rank, indent int) bool {
	before := h.code[max(0, p.from-longest):p.from]
	if line := before[strings.LastIndexByte(before, '\n')+1:]; strings.TrimSpace(line) != "" || len(line) == longest {
		return false
	}
	h.add(p, rank, indent)
	return true
}

// rank is 0 at the top and 2 in types.
func (h *headerReader) rank() int { return 2 * min(h.types, 1) }

// header goes over the words of a header from a place up to the one that defines
// something.
func (h *headerReader) header(p place, i int, sign byte) kind {
	whole := false
	for range mostWords {
		if i = h.skipMarks(i, p.end); i >= p.end {
			return other
		}
		w := h.word(i)
		next := min(p.end, skipSpace(h.code, i+len(w)))
		c, k, k2 := byte(0), h.kinds[w], h.kinds[h.word(next)]
		if next < p.end {
			c = h.code[next]
		}
		switch {
		case k == other && h.preprocessed && k2 >= space: // a macro
			i = next
			continue
		case k == modifier && next > i+len(w) && (excerpt.IsWord(c) || c > 0 && strings.IndexByte("@*[<#~\x01", c) >= 0):
			i = next
			continue
		case k < space || h.calls && c == '(' && k != minor && !listed(h.signs, w):
			if h.calls && (!h.members || h.types > 0) {
				h.function(p, i, 0, sign)
			}
			return other
		case c > 0 && strings.IndexByte("=:.,)+-?;!|&", c) >= 0 && !listed(h.signs, w):
			return other
		}
		whole = whole || listed(h.wholes, w)
		if (k2 >= space || k2 == modifier) && !h.isName(next, p.end) {
			i = next
			continue
		}
		if listed(h.bodied, w) && !whole {
			rest := strings.ReplaceAll(h.code[next:min(p.end, next+longest)], "::", "  ")
			first := strings.IndexAny(rest, "=(:")
			if first >= 0 && rest[first] == '(' {
				h.function(p, i, 0, sign)
				return other
			}
			if sign == ';' || first >= 0 && rest[first] == '=' {
				return other
			}
		}
		return h.named(p, next, k, whole, sign)
	}
	return other
}

// named notes a definition that a word announces, whose name is at next.
func (h *headerReader) named(p place, next int, k kind, whole bool, sign byte) kind {
	rank := h.rank()
	if next >= p.end && (sign != '{' || k == minor) {
		return other // it has no name
	}
	if k == minor {
		if rank = 3; h.types > 0 {
			return other
		}
	}
	if name := excerpt.Word(h.code, next); name != "" && !whole {
		p.name = next + len(name)
	}
	if !h.newlines {
		p.end = h.signature(next, p.end)
	}
	if h.note(p, rank, h.types) && h.bodied != "" && whole && sign == '{' {
		h.naming = len(h.defs) // typedef
	}
	return k
}

// function notes a function: after some words, the others of its type, its name and
// its parameters, and a body or what declares it. It says whether there is one.
func (h *headerReader) function(p place, i, words int, sign byte) bool {
	paren, name, more := h.parameters(i, min(p.end, i+longest))
	words += more
	if paren < 0 || !h.isFunction(i, name, words) {
		return false
	}
	after := skipGroup(h.code[:p.end], paren)
	if after == paren {
		return false
	}
	next := skipSpace(h.code[:p.end], after)
	c := byte(0)
	if next < p.end {
		c = h.code[next]
	}
	if words == 0 && h.types == 0 && (excerpt.IsWord(c) || c == '*') && h.code[i:name] == h.word(i) {
		macro := p // NAME(...) may stand before a type, or for one
		if strings.Contains(h.code[after:next], "\n") {
			macro.at = next
		}
		if h.function(macro, next, 1, sign) {
			return true
		}
	}
	switch {
	case sign != '{' && h.types == 0 && (!h.declares || words == 0),
		c == '(' && sign != '{' && !h.declares,
		c == '-' && h.peek(next+1) != '>',
		c > 0 && strings.IndexByte(",.+*/?|", c) >= 0:
		return false
	}
	p.name, p.end = name, h.signature(paren, p.end)
	h.note(p, h.rank(), h.types)
	return true
}

// parameters returns where the parameters of a function begin, where the name
// before them ends, and the number of words before the name; or -1.
func (h *headerReader) parameters(i, end int) (at, name, words int) {
	first := i
	for i < end {
		c := h.code[i]
		switch {
		case excerpt.IsWord(c):
			w := h.word(i)
			if h.kinds[w] == mark {
				i = h.skipMarks(i, end)
				continue
			}
			if i == first || strings.IndexByte(":.~#", h.code[i-1]) < 0 {
				words++
			}
			i += len(w)
			name = i
			if h.operator && w == "operator" {
				i = skipSpace(h.code, i)
				if strings.HasPrefix(h.code[i:], "()") {
					i += 2
				}
				paren := strings.IndexByte(h.code[min(i, end):end], '(')
				if paren < 0 {
					return -1, 0, 0
				}
				return i + paren, name, words - 1
			}
		case c == '(':
			if next := h.peek(skipSpace(h.code, i+1)); next == '*' || next == '^' {
				return -1, 0, 0 // a pointer to a function
			}
			return i, name, max(0, words-1)
		case c == '<' || c == '[':
			next := skipGroup(h.code[:end], i)
			if next == i {
				return -1, 0, 0
			}
			if i = next; c == '[' {
				name = i
			}
		case strings.IndexByte(" \t\r\n*&:~?.#", c) >= 0 && (c != ':' || i > first):
			i++
		default:
			return -1, 0, 0
		}
	}
	return -1, 0, 0
}

// isFunction says whether a function may have the name that ends at a place, after
// so many words.
func (h *headerReader) isFunction(i, end, words int) bool {
	from := end
	for from > i && excerpt.IsWord(h.code[from-1]) {
		from--
	}
	id := h.code[from:end]
	k, first := h.kinds[id], h.kinds[h.word(i)]
	switch {
	case end == 0, k == never, words > 0 && (first == never || first == unnamed):
		return false
	case words == 0 && (k == unnamed && h.types == 0 || strings.HasPrefix(id, "__")):
		return false
	case id == "":
		return h.members && h.types > 0 && h.code[end-1] == ']' // [Symbol.iterator]()
	}
	return h.types > 0 || from == i || h.code[from-1] != '.'
}

// skipMarks goes over what may stand before a definition: annotations, attributes,
// strings and some words.
func (h *headerReader) skipMarks(i, end int) int {
	code := h.code[:end]
	for {
		i = skipSpace(code, i)
		if i >= end {
			return end
		}
		next, k := i, h.kinds[h.word(i)]
		switch {
		case k == mark:
			if next = skipSpace(code, i+len(h.word(i))); next < end && (code[next] == '(' || code[next] == '<') {
				next = skipGroup(code, next)
			}
		case code[i] == '@' && k == other:
			for next++; next < end && (excerpt.IsWord(code[next]) || code[next] == '.' || code[next] == ':'); next++ {
			}
			if next < end && code[next] == '(' {
				next = skipGroup(code, next)
			}
		case strings.HasPrefix(code[i:], "#["), strings.HasPrefix(code[i:], "#!["):
			next = skipGroup(code, i+strings.IndexByte(code[i:], '['))
		case code[i] == '[' && (h.attributes || strings.HasPrefix(code[i:], "[[")):
			next = skipGroup(code, i)
		case code[i] == '*', code[i] == inString:
			next++
		}
		if next <= i {
			return i
		}
		i = next
	}
}

// isName says whether the word at a place is a name, and defines nothing itself.
func (h *headerReader) isName(i, end int) bool {
	next := skipBlanks(h.code[:end], i+len(h.word(i)))
	return next >= end || strings.IndexByte("=(;<,\n\x01", h.code[next]) >= 0
}
