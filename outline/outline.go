package outline

import (
	"fmt"
	"strings"
)

// Rules is the version of the rules. Another version makes other outlines.
const Rules = "3"

const (
	defaultTokens = 600
	leastTokens   = 40
)

// Text returns what is where in a text. The first line says what the text is. Each
// further line begins with the number of a line, or with the first and last line of
// a part, as read_file's from_line and to_line count them. Lines that had no room
// are counted where they would have stood.
//
// The name, a path, tells the kind of text where it can, and the content does
// otherwise. The outline costs at most maxTokens by tokens.Estimate; 0 means 600,
// and less than 40 is 40. The same arguments give the same outline, which has no
// control characters but line feeds.
func Text(name, text string, maxTokens int) string {
	if maxTokens <= 0 {
		maxTokens = defaultTokens
	}
	maxTokens = max(maxTokens, leastTokens)
	size := plural(len(text), "byte")
	if isBinary(text) {
		return "Binary, " + size
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	lines := countLines(text)
	found := scan(name, text)
	head := fmt.Sprintf("%s, %s, %s", found.kind, plural(lines, "line"), size)
	return found.fit(head, maxTokens)
}

// scan reads the text as what it seems to be.
func scan(name, text string) outline {
	text = strings.TrimPrefix(text, "\uFEFF") // a mark of the byte order
	if strings.TrimSpace(text) == "" {
		return outline{kind: "Empty"}
	}
	k := kindOf(name, text)
	if found, ok := k.scan(text); ok {
		return found
	}
	found := scanProse(text)
	found.kind = "Text"
	if k.name != "" && k.name != found.kind {
		found.kind = "Text, no valid " + k.name
	}
	return found
}
