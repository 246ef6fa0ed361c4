package outline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// longLine is the length in bytes of lines that are too long to be read one by one.
const longLine = 20000

// scanProse takes the first sentence of each paragraph. A paragraph of one short
// line without a full stop, or that is underlined, is a title. A text that
// is one paragraph is listed line by line.
func scanProse(text string) outline {
	found := outline{kind: "Text"}
	if hasLongLine(text) {
		found.items = samples(text)
		found.notes = append(found.notes, "very long lines: samples from all over the text")
		return found
	}
	var items []item
	var lines []excerpt.Line // of the paragraph so far
	for l := range excerpt.Lines(text) {
		if !l.Blank() {
			lines = append(lines, l)
			continue
		}
		items = appendParagraph(items, text, lines)
		lines = lines[:0]
	}
	items = appendParagraph(items, text, lines)
	if len(items) == 1 && items[0].end > items[0].line+2 {
		items = nil
		for l := range excerpt.Lines(text) {
			if !l.Blank() {
				items = append(items, item{line: int32(l.N), text: l.Text})
			}
		}
	}
	found.items = once(items, false)
	return found
}

// appendParagraph appends items for the lines between two blank ones.
func appendParagraph(items []item, text string, lines []excerpt.Line) []item {
	if len(lines) > 1 && underlineLevel(strings.TrimSpace(lines[1].Text)) > 0 {
		items = append(items, item{line: int32(lines[0].N), text: lines[0].Text})
		lines = lines[2:]
	}
	if len(lines) == 0 {
		return items
	}
	it := item{line: int32(lines[0].N), end: int32(lines[len(lines)-1].N), text: sentenceOf(paragraphOf(text[lines[0].At:]))}
	if len(items) > 0 && !(len(lines) == 1 && isTitle(strings.TrimSpace(lines[0].Text))) {
		it.rank = 1
	}
	return append(items, it)
}

// paragraphOf returns the beginning of the paragraph that a text begins with, up to
// the first line that ends with a sentence.
func paragraphOf(text string) string {
	var b strings.Builder
	for l := range excerpt.Lines(excerpt.Head(text, 600)) {
		bare := strings.TrimSpace(l.Text)
		if bare == "" || l.N > 1 && (bullet(bare) != "" || underlineLevel(bare) > 0 || bare[0] != text[0] && strings.IndexByte("#|`~<", bare[0]) >= 0) {
			break
		}
		if l.N > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(bare)
		if strings.IndexByte(".!?:", excerpt.LastByte(bare)) >= 0 {
			break
		}
	}
	return b.String()
}

// sentenceOf returns the first sentence of a text, or all of it.
func sentenceOf(text string) string {
	if n := excerpt.SentenceEnd(text); n > 0 {
		return text[:n]
	}
	return text
}

// isTitle reports whether a line looks like a title: it is short, and there is no
// mark at its end or a number before it.
func isTitle(text string) bool {
	mark := bullet(text)
	if n := utf8.RuneCountInString(text); n == 0 || n > 72 || n > 60 && mark == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(text)
	if last == '.' && len(mark) > 2 {
		return unicode.IsUpper(rune(text[len(mark)])) && excerpt.SentenceEnd(text) == len(text)
	}
	return (unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(")》」", last)) && !unicode.IsLower(first) && first != '-' && first != '*'
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
		items = append(items, item{line: int32(newlines + 1), text: fmt.Sprintf("at byte %d: %s", at, excerpt.Head(text[at:], 800))})
	}
	return items
}
