package outline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// longLine is the bytes in a line above which a text is not read by lines.
const longLine = 20000

// scanProse takes the first sentence of each paragraph. A paragraph of one short
// line without a full stop, or with a line below it, is a heading.
func scanProse(text string) outline {
	var p prose
	for l := range excerpt.Lines(text) {
		p.line(l)
	}
	p.flush()
	found := outline{kind: "Text", items: once(p.items), wide: true}
	if len(p.items) > 0 && p.paragraphs == 1 && p.last > 3 {
		found.items = everyLine(text)
	}
	if p.longest > longLine {
		found.items = samples(text)
		found.notes = append(found.notes, "lines of up to "+plural(p.longest, "byte")+": samples from all over the text")
	}
	return found
}

type prose struct {
	items      []item
	from       excerpt.Line // the paragraph's first line
	last       int          // line
	lines      int
	ruled      bool // it is a line and one that underlines it
	longest    int
	paragraphs int
	in         string
}

func (p *prose) line(l excerpt.Line) {
	p.longest = max(p.longest, len(l.Text))
	if l.Blank() {
		p.flush()
		return
	}
	bare := strings.TrimSpace(l.Text)
	if p.lines == 1 && len(bare) > 2 && strings.Trim(bare, bare[:1]) == "" && strings.IndexByte("=-~^*#", bare[0]) >= 0 {
		p.ruled = true
		p.last = l.N
		p.flush()
		return
	}
	if p.lines == 0 {
		p.from = l
	}
	p.lines++
	p.last = l.N
	if p.lines <= 6 {
		p.in += excerpt.Head(bare, 600) + "\n"
	}
}

func (p *prose) flush() {
	if p.lines == 0 {
		return
	}
	p.paragraphs++
	it := item{line: int32(p.from.N), end: int32(p.last), rank: 1, text: p.in}
	switch {
	case p.ruled, p.lines == 1 && isTitle(p.in):
		it.rank, it.end = 0, 0
	default:
		flat := strings.ReplaceAll(p.in, "\n", " ")
		if n := excerpt.SentenceEnd(flat); n > 0 {
			it.text = p.in[:n]
		}
	}
	p.items = append(p.items, it)
	p.lines, p.ruled, p.in = 0, false, ""
}

// isTitle says whether a line is one: short, and without a mark at its end, or
// with a number before it.
func isTitle(text string) bool {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n == 0 || n > 72 || n > 60 && bullet(text) == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(text)
	if mark := bullet(text); last == '.' && len(mark) > 2 {
		return unicode.IsUpper(rune(text[len(mark)])) && excerpt.SentenceEnd(text) == len(text)
	}
	return (unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == '》' || last == '」') && !unicode.IsLower(first) && first != '-' && first != '*'
}

// everyLine lists a text that is not in paragraphs.
func everyLine(text string) []item {
	var items []item
	for l := range excerpt.Lines(text) {
		if !l.Blank() {
			items = append(items, item{line: int32(l.N), text: l.Text})
		}
	}
	return items
}

func hasLongLine(text string) bool {
	for l := range excerpt.Lines(text) {
		if len(l.Text) > longLine {
			return true
		}
	}
	return false
}

// samples shows a text of very long lines at even distances.
func samples(text string) []item {
	const n = 12
	var items []item
	newlines, counted := 0, 0
	for i := range n {
		at := len(text) / n * i
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
		newlines += strings.Count(text[counted:at], "\n")
		counted = at
		items = append(items, item{line: int32(newlines + 1), rank: int16(i % 2), text: fmt.Sprintf("at byte %d: %s", at, excerpt.Head(text[at:], 800))})
	}
	return items
}
