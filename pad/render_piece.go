package pad

import (
	"fmt"
	"strings"
)

// rendering is the text of some entries in pieces.
type rendering struct {
	header string
	layout layout
	pieces []*piece // in the order of creation
}

// piece is a rendered entry.
type piece struct {
	entry *entry
	index int // in the order of creation
	key   string
	meta  *meta
	text  string // ends in the separator
	count int    // tokens of the text
}

func (r *rendering) piece(e *entry, key string, at moment, withMeta bool) *piece {
	p := &piece{entry: e, index: len(r.pieces), key: key}
	if withMeta {
		p.meta = newMeta(e, at)
	}
	p.text = r.layout.entry(key, r.layout.value(e.value), p.meta) + r.layout.separator
	return p
}

// join returns the text of some of the pieces. Unless leftOut is 0, the last line says how
// many entries were left out.
func (r *rendering) join(pieces []*piece, leftOut int) string {
	var b strings.Builder
	b.WriteString(r.header)
	last := r.leftOut(leftOut)
	if r.header != "" && (len(pieces) > 0 || last != "" || r.layout.open != "") {
		b.WriteByte('\n')
	}
	b.WriteString(r.layout.open)
	for i, p := range pieces {
		text := p.text
		if i == len(pieces)-1 && last == "" {
			text = strings.TrimSuffix(text, r.layout.separator)
		}
		b.WriteString(text)
	}
	b.WriteString(last)
	b.WriteString(r.layout.end)
	return b.String()
}

// leftOut returns the last line for n entries, "" if the format has none.
func (r *rendering) leftOut(n int) string {
	switch {
	case n == 0 || r.layout.leftOut == "":
		return ""
	case n == 1:
		return fmt.Sprintf(r.layout.leftOut, "1 entry")
	}
	return fmt.Sprintf(r.layout.leftOut, fmt.Sprint(n, " entries"))
}
