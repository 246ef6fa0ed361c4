package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// screen returns a writer for text from an agent or a client. On a terminal it shows
// control characters instead of sending them; elsewhere bytes stay as they are. Each
// write must have whole characters.
func (p *process) screen(out io.Writer) io.Writer {
	if isTerminal(p.out) {
		return visibleWriter{out}
	}
	return out
}

type visibleWriter struct{ out io.Writer }

func (w visibleWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.out, visible(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// visible returns a text with \uXXXX in place of each control character other than
// line feed and tab, as JSON writes it. Characters that turn the direction of writing,
// break a line or have no width count among them, because they can make a text look
// like another one.
func visible(text string) string {
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
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// oneLine is visible for a text that must stay on its line.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(text))
}

// drives reports whether a character could drive a terminal. [utf8.RuneError] may be a
// byte that could.
func drives(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= '\u200b' && r <= '\u200f', r == '\u2028', r == '\u2029', r == '\ufeff':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}

// cell is visible for a text that must stay in its cell of a table.
func cell(text string) string {
	if text == "" {
		return "-"
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(visible(text))
}
