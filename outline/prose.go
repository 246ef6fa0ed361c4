package outline

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longLine is the length in bytes of lines that are too long to be read one by one.
const longLine = 20000

// scanProse reads a text like Markdown, of which plain texts use the simplest forms,
// or takes samples of it.
func scanProse(text string) outline {
	if hasLongLine(text) {
		return outline{kind: "Text", items: samples(text),
			notes: []string{"very long lines: samples from all over the text"}}
	}
	found, _ := scanMarkdown(text)
	found.kind = "Text"
	return found
}

// paragraphOf returns the beginning of the paragraph that a text begins with, up to
// the first line that ends with a sentence.
func paragraphOf(text string) string {
	var b strings.Builder
	for l := range linesOf(headOf(text, 600)) {
		bare := strings.TrimSpace(l.Text)
		if l.N > 1 && (!hasWord(bare) || bullet(bare) != "" || strings.HasPrefix(bare, "```") ||
			strings.HasPrefix(bare, "~~~")) {
			break
		}
		if l.N > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(bare)
		if strings.IndexByte(".!?:", lastByte(bare)) >= 0 {
			break
		}
	}
	return b.String()
}

// isTitle reports whether a line looks like a title: it is short and does not end
// as a sentence does.
func isTitle(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, `"')]*_`+"`"))
	return utf8.RuneCountInString(text) <= 72 && !strings.ContainsRune(".!?؟…。！？｡।॥۔။።։,:;", last)
}

func hasLongLine(text string) bool {
	for l := range linesOf(text) {
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
	for i := range n {
		at := len(headOf(text, len(text)/n*i))
		line := 1 + strings.Count(text[:at], "\n")
		items = append(items, item{line: int32(line), text: fmt.Sprintf("at byte %d: %s", at, headOf(text[at:], 800))})
	}
	return items
}
