// Package excerpt takes lines, words and sentences out of a text.
package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns a text on one line of at most so many characters, and "…" if there
// are more. Each run of blanks and line ends becomes one blank. Control characters
// and marks that change the direction of writing are left out.
func Clean(text string, most int) string {
	var b strings.Builder
	n, space := 0, false
	for i, r := range text {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = n > 0
			continue
		case unicode.In(r, unicode.Cc, unicode.Cf) && r != '\u200C' && r != '\u200D': // those two join letters, or do not
			continue
		case n >= most || i > 16*most+1024:
			return b.String() + "…"
		case space:
			b.WriteByte(' ')
			n++
			space = false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Head returns the longest beginning of a text that has at most so many bytes and
// ends with a whole character.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// FirstSentence returns the first sentence of a text in at most so many characters.
// The text may be a comment, with its marks.
func FirstSentence(text string, most int) string {
	var b strings.Builder
	for l := range Lines(text) {
		bare := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l.Text), "/*#!;->\"'"))
		for _, end := range []string{"*/", `"""`, "'''"} {
			bare = strings.TrimSpace(strings.TrimSuffix(bare, end))
		}
		if bare == "" || strings.HasPrefix(bare, "go:") {
			if b.Len() > 0 {
				break
			}
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if n := SentenceEnd(bare); n > 0 {
			b.WriteString(bare[:n])
			break
		}
		b.WriteString(Head(bare, 8*most))
		if b.Len() > 4*most {
			break
		}
	}
	return Clean(strings.ToValidUTF8(b.String(), ""), most)
}

// SentenceEnd returns the length in bytes of the first sentence of a text, or 0 if
// the sentence does not end. A full stop ends a sentence if a blank or nothing
// follows, but not after a number, a single letter or a short form.
func SentenceEnd(text string) int {
	for i, r := range Head(text, 2000) {
		end := i + utf8.RuneLen(r)
		if strings.ContainsRune("。！？｡।॥۔။።։", r) {
			return end
		}
		if !strings.ContainsRune(".!?؟…", r) {
			continue
		}
		rest := strings.TrimLeft(text[end:], `"')]*_`+"`")
		if rest == "" || (rest[0] == ' ' || rest[0] == '\t') && (r != '.' || !abbreviated(text[:i])) {
			return len(text) - len(rest)
		}
	}
	return 0
}

// abbreviated reports whether the text before a full stop ends in a single letter or
// a short form, or is the number of what follows.
func abbreviated(text string) bool {
	if len(text) < 12 && strings.Trim(text, " 0123456789.") == "" {
		return true
	}
	word := strings.ToLower(text[strings.LastIndexAny(text, " (\t")+1:])
	if utf8.RuneCountInString(word) == 1 && (word[0] < '0' || word[0] > '9') {
		return true
	}
	return strings.Contains(" e.g i.e mr mrs dr vs cf etc no ", " "+word+" ")
}

// Word returns the identifier that begins at byte i, or "". It may be beyond the end.
func Word(code string, i int) string {
	i = min(i, len(code))
	from := i
	for i < len(code) && IsWord(code[i]) {
		i++
	}
	return code[from:i]
}

// IsWord reports whether a byte may be of an identifier. Every byte beyond ASCII may.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9' || c >= 0x80 || c == '$'
}

// Until returns where part begins in text, or the length of text.
func Until(text, part string) int {
	if i := strings.Index(text, part); i >= 0 {
		return i
	}
	return len(text)
}

// LastByte returns the last byte of a text, or 0.
func LastByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}
