package outline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

const rstMarks = "=-~^\"'`*+#:._<>$%&!,;?@|\\/(){}[]"

// A restructured scanner reads the titles of reStructuredText, whose levels are in
// the order in which their marks are first there.
type restructured struct {
	items  []item
	marks  []string     // of each level
	open   []int        // the items of the titles that the line is below
	above  excerpt.Line // where it may be a title
	over   excerpt.Line // a line of marks above it
	body   bool         // an opening was begun and not ended
	opened int          // items with one
}

func scanRestructured(text string) (outline, bool) {
	var r restructured
	var flat strings.Builder // the text without what is indented
	flat.Grow(len(text))
	last := 0
	for l := range excerpt.Lines(text) {
		last = l.N
		r.line(l)
		if l.Indent() == 0 && !strings.HasPrefix(l.Text, ".. ") {
			flat.WriteString(l.Text)
		}
		flat.WriteByte('\n')
	}
	for _, i := range r.open {
		r.items[i].end = int32(last)
	}
	found := outline{kind: "reStructuredText", items: r.items}
	if len(found.items) == 0 {
		found.items, found.wide = scanProse(flat.String()).items, true
	}
	return found, len(found.items) > 0
}

func (r *restructured) line(l excerpt.Line) {
	above, over := r.above, r.over
	r.above, r.over = excerpt.Line{}, excerpt.Line{}
	marks := ruled(l.Text)
	switch {
	case l.Blank():
		r.endBody()
	case marks > 0 && above.N > 0 && marks >= min(4, utf8.RuneCountInString(above.Text)):
		r.title(l, above, over)
	case marks > 0:
		r.over = l
	case l.Indent() > 0 && over.N == 0:
		r.endBody()
	default:
		r.above, r.over = l, over
		r.opening(l.Text)
	}
}

// ruled is the length of a line of one mark, or 0.
func ruled(text string) int {
	text = strings.TrimRight(text, " \t")
	if text == "" || strings.IndexByte(rstMarks, text[0]) < 0 || strings.Trim(text, text[:1]) != "" {
		return 0
	}
	return len(text)
}

func (r *restructured) title(l, above, over excerpt.Line) {
	mark, from := l.Text[:1], above.N
	if over.N == above.N-1 && over.N > 0 && over.Text[0] == l.Text[0] {
		mark, from = mark+mark, over.N
	}
	level := slices.Index(r.marks, mark)
	if level < 0 {
		level = len(r.marks)
		r.marks = append(r.marks, mark)
	}
	for len(r.open) > 0 && int(r.items[r.open[len(r.open)-1]].rank) >= level {
		r.items[r.open[len(r.open)-1]].end = int32(from - 1)
		r.open = r.open[:len(r.open)-1]
	}
	if n := len(r.items); n > 0 && r.opened == n && r.body { // the title was taken for text
		r.items[n-1].more = strings.TrimSuffix(r.items[n-1].more, above.Text+"\n")
	}
	r.open = append(r.open, len(r.items))
	depth := int16(min(level, lastRank))
	r.items = append(r.items, item{line: int32(from), rank: depth, indent: depth, text: above.Text})
	r.body = true
}

// opening adds to the first paragraph below a title.
func (r *restructured) opening(text string) {
	n := len(r.items)
	if n == 0 || !r.body || strings.HasPrefix(text, "..") || len(r.items[n-1].more) > 600 {
		return
	}
	if strings.Trim(text, "=+- ") == "" { // a table's
		r.body = false
		return
	}
	r.items[n-1].more += excerpt.Head(text, 600) + "\n"
	r.opened = n
}

func (r *restructured) endBody() {
	if n := len(r.items); n > 0 && r.items[n-1].more != "" {
		r.body = false
	}
}
