package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

const longestTypes = 200 // bytes of <...>

// A frame is an open brace.
type frame struct {
	kind   kind // space, block, around, or other for what is not looked into
	parens int  // open around the brace
	start  int  // of the header that goes on after the brace, or -1
	named  int  // 1 more than the definition that is named after the brace
}

// A headerReader reads a language in which definitions have bodies in braces. A
// header is the code before a brace or semicolon. It is classified by its words.
type headerReader struct {
	*reader
	open   []frame
	hidden int // braces that are open and not looked into: the last frame and those within
	types  int // frames of kind block
	parens int // open parentheses and square brackets
	start  int // of the header, or -1
	marked int // up to where annotations alone are known to be
	naming int // 1 more than the definition that the header names
}

func readHeaders(r *reader) {
	h := headerReader{reader: r, start: -1}
	for i := h.lineStart(0); i < len(h.code); {
		i = h.step(i)
	}
	h.finish(len(h.code), ';')
}

// step reads one byte and returns where the next is.
func (h *headerReader) step(at int) int {
	c := h.code[at]
	switch c {
	case ' ', '\t', '\r':
		return at + 1
	case '\n':
		if h.hidden == 0 && h.start >= 0 && h.parens == 0 && h.endsLine(at) {
			h.finish(at, '\n')
		}
		return h.lineStart(at + 1)
	case '{':
		h.push(at)
		return at + 1
	case '}':
		if h.preprocessed && at > 0 && h.code[at-1] == '\n' {
			h.hidden = min(h.hidden, 1) // branches of #if may open more braces than they close
		}
		h.finish(at, ';')
		h.pop()
		return at + 1
	}
	if h.hidden > 0 {
		return at + 1
	}
	switch c {
	case ':':
		if h.start >= 0 && h.kinds[strings.TrimSpace(h.code[max(h.start, at-20):at])] == label {
			h.start = -1
			return at + 1
		}
	case '(', '[':
		h.parens++
	case ')', ']':
		h.parens = max(0, h.parens-1)
	case '<':
		if h.newlines && h.start >= 0 {
			return max(at+1, skipGroup(h.code[:min(len(h.code), at+longestTypes)], at))
		}
	case ';':
		if h.parens == 0 || h.preprocessed {
			h.finish(at, ';')
			h.parens = 0
			return at + 1
		}
	case ',':
		if h.parens == 0 && (h.start < 0 || h.commas && h.types > 0) {
			h.finish(at, ';')
			return at + 1
		}
	}
	if h.start < 0 {
		h.start = at
	}
	return at + 1
}

// push opens a brace. Its header tells the frame. Within parentheses the header
// goes on after the brace is closed.
func (h *headerReader) push(at int) {
	if h.hidden > 0 {
		h.hidden++
		return
	}
	f := frame{start: -1, parens: h.parens}
	if h.start >= 0 {
		known := len(h.defs)
		f.kind = h.classify(at, '{')
		f.named, h.naming = h.naming, 0
		if f.kind == other && len(h.defs) == known && h.parens > 0 {
			f.start = h.start
		}
	}
	switch f.kind {
	case block:
		h.types++
	case around, space:
	default:
		f.kind = other
		h.hidden = 1
	}
	h.open = append(h.open, f)
	h.parens, h.start = 0, -1
}

func (h *headerReader) pop() {
	if h.hidden > 1 {
		h.hidden--
		return
	}
	if len(h.open) == 0 {
		h.parens = 0
		return
	}
	f := h.open[len(h.open)-1]
	h.open = h.open[:len(h.open)-1]
	if h.hidden = 0; f.kind == block {
		h.types--
	}
	h.parens, h.start, h.naming = f.parens, f.start, f.named
}

// finish ends a header that no brace follows.
func (h *headerReader) finish(at int, end byte) {
	if h.hidden > 0 {
		return
	}
	if h.start >= 0 && h.naming > 0 {
		d := &h.defs[h.naming-1]
		if name := strings.TrimSpace(excerpt.Head(h.in[h.start:at], 80)); !strings.Contains(name, "\n") {
			d.Text, d.Brief = d.Text+" … } "+name, 0
		}
	} else if h.start >= 0 && (h.parens == 0 || h.preprocessed) {
		h.classify(at, end)
	}
	h.start, h.naming = -1, 0
}

// endsLine says whether a header ends with a line. It goes on after a sign that
// needs something, before a sign or word that goes on, and after annotations alone.
func (h *headerReader) endsLine(at int) bool {
	if !h.newlines {
		return strings.IndexByte(h.splits, h.peek(at+1)) >= 0
	}
	line := strings.TrimRight(h.code[max(h.start, at-longest):at], " \t\r\n")
	next := skipSpace(h.code, at)
	last, c := excerpt.LastByte(line), h.peek(next)
	switch {
	case strings.IndexByte(",=(+-&|:<.", last) >= 0, strings.HasSuffix(line, "=>"), strings.HasSuffix(line, "->"), c == '{':
		return false
	case strings.IndexByte(".:=?&|),->", c) >= 0 && strings.Count(h.code[at:next], "\n") == 1:
		return false
	}
	if h.marked = h.skipMarks(max(h.start, h.marked), at); h.marked == at {
		return false
	}
	return !listed("extends implements where with throws", h.word(next))
}

// lineStart reads the line at a place if it is for C's preprocessor, and returns
// where its end is, or the place.
func (h *headerReader) lineStart(line int) int {
	at := skipBlanks(h.code, line)
	if !h.preprocessed || at == len(h.code) || h.code[at] != '#' {
		return line
	}
	end := at + excerpt.Until(h.code[at:], "\n")
	p := place{from: at, at: at, end: end}
	if q := h.match(&p, directive); q != nil && q.kind != other && h.hidden == 0 && h.parens == 0 {
		h.start = -1 // what stands above is a macro
		p.end = at + len(strings.TrimRight(h.in[at:end], " \t\r\\"))
		h.add(p, q.rank, 0)
	}
	for end < len(h.code) && strings.HasSuffix(strings.TrimRight(h.code[at:end], " \r"), `\`) {
		end += 1 + excerpt.Until(h.code[end+1:], "\n")
	}
	return end
}
