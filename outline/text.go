package outline

import (
	"fmt"
	"strings"
)

// countLines counts as read_file does: "a\nb" has two, "" none.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// isBinary says whether the beginning of a text has a NUL, is not UTF-16, and has
// more control characters than a text would.
func isBinary(text string) bool {
	text = text[:min(len(text), 1<<16)]
	if strings.IndexByte(text, 0) < 0 || strings.HasPrefix(text, "\xFF\xFE") || strings.HasPrefix(text, "\xFE\xFF") {
		return false
	}
	n := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' && (c < '\b' || c > '\r') && c != '\x1B' {
			n++
		}
	}
	return n*20 > len(text)
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
