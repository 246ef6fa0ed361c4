package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
)

// Writer returns a writer to out for text that ends on a stream. If the stream is a
// terminal, the writer shows control characters instead of sending them. Otherwise it
// is out. Each write must have whole characters.
func Writer(out io.Writer, stream any) io.Writer {
	if Is(stream) {
		return visibleWriter{out}
	}
	return out
}

type visibleWriter struct{ out io.Writer }

func (w visibleWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.out, Visible(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Visible returns a text with \uXXXX in place of each control character other than
// line feed and tab, as JSON writes it. Characters that turn the direction of writing,
// break a line or have no width count among them, because they can make a text look
// like another one.
func Visible(text string) string {
	if !strings.ContainsFunc(text, drives) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if !drives(r) {
			b.WriteRune(r)
		} else if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[i])
		} else if r == utf8.RuneError {
			b.WriteRune(r)
		} else if r > 0xffff {
			fmt.Fprintf(&b, `\U%08x`, r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// OneLine is Visible for a text that must stay on its line.
func OneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Visible(text))
}

// drives reports whether a character could drive a terminal. [utf8.RuneError] may be a
// byte that could.
func drives(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= '\u200b' && r <= '\u200f', r == '\u2028', r == '\u2029', r == '\ufeff',
		r >= '\U000e0000' && r <= '\U000e007f': // tags, which a model reads and nobody sees
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}

// Row returns the cells of a row of a table: times in UTC to the minute, and all else as Cell
// and [fmt.Sprint] show it.
func Row(cells ...any) []string {
	row := make([]string, len(cells))
	for i, c := range cells {
		if t, ok := c.(time.Time); ok {
			c = phrase.Minute(t)
		}
		row[i] = Cell(fmt.Sprint(c))
	}
	return row
}

// Cell is Visible for a text that must stay in its cell of a table. An empty one is
// shown as a dash.
func Cell(text string) string {
	if text == "" {
		return "-"
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(Visible(text))
}
