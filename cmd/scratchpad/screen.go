package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// screen is where text goes that an agent or a client gave. On a terminal it
// shows what could drive the terminal; elsewhere bytes stay as they are. Each
// write to it must have whole characters.
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

// visible is a text with its control characters, other than line feeds and
// tabs, as \uXXXX, which is what JSON writes too. What turns the direction of
// writing, breaks a line or has no width can make a text look like another, so it
// counts among them.
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

// oneLine is visible for a text that must not begin a line of its own.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(text))
}

// drives reports a character that does something. [utf8.RuneError] may stand for
// a byte that does.
func drives(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= '\u200b' && r <= '\u200f', r == '\u2028', r == '\u2029', r == '\ufeff':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}

// cell is a text that stays in its cell of a table, wherever the table goes.
func cell(text string) string {
	if text == "" {
		return "-"
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(visible(text))
}
