// Package outline says what is in a text, and where: the headings of a document,
// the definitions of a program, the keys of a configuration, the columns of a
// table. It works offline, and the same text always gives the same outline.
//
//	fmt.Println(outline.Text("report.md", text, 0))
//
// It is not a parser. It may miss a rare form, or list a line that is not a
// definition. A line of an outline is a hint where to read.
//
// The rules are frozen. They serve the common forms of common files; a rare form is
// not worth a rule. Fix what is wrong, slow or over budget, and then change [Rules].
package outline

import (
	"fmt"
	"strings"
)

// Rules is the version of the rules. It changes whenever the outline of some text
// does.
const Rules = "6"

const defaultTokens = 600

// Text returns the outline of a text. The first line says what the text is. Each
// further line begins with the number of a line, or with the first and last line of
// a part; lines are counted from 1. A line that begins with "- " belongs to no single
// line of the text. A line that begins with "…" counts what is not shown.
//
// The name is a path. It decides how the text is read; if it does not tell, the
// first lines of the text do. The outline has at most maxTokens tokens by
// tokens.Estimate. Zero means 600, and less than 40 means 40. The same arguments
// always give the same outline. It has no control characters except line feeds.
//
// Time and memory grow with the length of the text.
func Text(name, text string, maxTokens int) string {
	if maxTokens <= 0 {
		maxTokens = defaultTokens
	}
	maxTokens = max(maxTokens, 40)
	size := plural(len(text), "byte")
	if isBinary(text) {
		return "Binary, " + size
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	lines := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	found := scan(name, text)
	head := fmt.Sprintf("%s, %s, %s", found.kind, plural(lines, "line"), size)
	return found.fit(head, maxTokens)
}

// scan reads a text as what it seems to be, or else as prose.
func scan(name, text string) outline {
	text = strings.TrimPrefix(text, "\uFEFF") // byte order mark
	if strings.TrimSpace(text) == "" {
		return outline{kind: "Empty"}
	}
	k := kindOf(name, text)
	if found, ok := k.scan(text); ok {
		return found
	}
	found := scanProse(text)
	found.kind = "Text, no valid " + k.name
	return found
}

// isBinary reports whether a twentieth of the beginning of a text is NUL.
func isBinary(text string) bool {
	text = text[:min(len(text), 1<<16)]
	return strings.Count(text, "\x00")*20 > len(text)
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
