// Package sourceline writes the lines of a text with their numbers. A page has thousands of
// them, and html/template takes five times as long.
package sourceline

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/console/internal/format"
	"github.com/agent-scratchpad/scratchpad/console/internal/visible"
)

// Write writes a line with its number as a link, and says how many of its bytes are not
// there if it has more than limit. It returns how many bytes of the text are there.
func Write(b *strings.Builder, number int, text string, limit int) int {
	n := strconv.Itoa(number)
	b.WriteString(`<span id="L` + n + `"><a href="#L` + n + `">` + n + "</a>")
	at := len(text)
	if at > limit {
		at = limit
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
	}
	visible.Write(b, text[:at])
	if left := len(text) - at; left > 0 {
		b.WriteString(`<i class="muted"> and ` + format.Number(int64(left)) + " bytes more, see Raw</i>")
	}
	b.WriteString("</span>")
	return at
}
