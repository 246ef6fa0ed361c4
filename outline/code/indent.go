package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// An indentReader reads a language by its lines and how far they are indented.
type indentReader struct {
	*reader
	open     []int // columns of the blocks that the line is in
	leaf     int   // column of the definition that the line is in, or -1
	brackets int   // that are open, where a line goes on
	slash    bool  // the line above goes on
}

func readIndents(r *reader) {
	ir := indentReader{reader: r, leaf: -1}
	for l := range excerpt.Lines(r.code) {
		if !l.Blank() && !ir.goesOn(l) {
			ir.line(l)
		}
	}
}

// goesOn says whether a line goes on with the one above. A line that begins a
// definition does not: the brackets that are open above it are a mistake.
func (r *indentReader) goesOn(l excerpt.Line) bool {
	if !r.joined {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimLeft(l.Text, " \t"), " ")
	if r.brackets > 0 && !r.slash && (r.kinds[word] == block || r.kinds[word] == leaf) {
		r.brackets = 0
	}
	goesOn := r.slash || r.brackets > 0
	for i := range len(l.Text) {
		switch l.Text[i] {
		case '(', '[', '{':
			r.brackets++
		case ')', ']', '}':
			r.brackets = max(0, r.brackets-1)
		}
	}
	r.slash = excerpt.LastByte(l.Text) == '\\'
	return goesOn
}

func (r *indentReader) line(l excerpt.Line) {
	indent := l.Indent()
	if r.leaf >= 0 && indent > r.leaf {
		return
	}
	r.leaf = -1
	for n := len(r.open); n > 0 && r.open[n-1] >= indent; n-- {
		r.open = r.open[:n-1]
	}
	p := place{from: l.At + skipBlanks(l.Text, 0), end: l.At + len(l.Text)}
	p.at = p.from
	rank := 2 * min(len(r.open), 2)
	k := r.announced(&p)
	if k == other {
		here := inside
		if len(r.open) == 0 && indent == 0 {
			here = outside
		}
		q := r.match(&p, here)
		if q == nil {
			return
		}
		k, rank = q.kind, max(rank, q.rank)
	} else if k == minor {
		rank = 3
	}
	p.end = r.signature(max(p.at, p.name), len(r.code))
	d := r.add(p, rank, len(r.open))
	if below := excerpt.Head(r.in[p.end:], longest); r.docstrings && docstring(strings.TrimLeft(below, ": \t\r\n")) != "" {
		d.Doc = docstring(strings.TrimLeft(below, ": \t\r\n"))
	}
	switch {
	case k == block:
		r.open = append(r.open, indent)
	case k == leaf && !r.flat:
		r.leaf = indent
	}
}

// announced finds the name that a word of a line announces, and returns the word's
// kind.
func (r *indentReader) announced(p *place) kind {
	for i := p.at; ; {
		w := r.word(i)
		k := r.kinds[w]
		next := skipBlanks(r.code[:p.end], i+len(w))
		if k == other || next == i+len(w) || next == p.end {
			return other
		}
		if strings.IndexByte("=:.,)", r.code[next]) >= 0 && (!listed(r.signs, w) || r.peek(next+1) <= ' ') {
			return other
		}
		if k == modifier {
			i = next
			continue
		}
		name := next
		for name < p.end && r.code[name] > ' ' && strings.IndexByte("(:{", r.code[name]) < 0 {
			name++
		}
		if name == next {
			return other
		}
		p.name = name
		return k
	}
}
