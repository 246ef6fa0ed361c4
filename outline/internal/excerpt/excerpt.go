// Package excerpt takes lines, words and sentences out of a text.
package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean is a text on one line of so many characters: without control characters
// and marks that turn the direction of writing, its blanks single.
func Clean(text string, most int) string {
	var b strings.Builder
	n, space := 0, false
	for i, r := range text {
		if unicode.IsSpace(r) || r == '\u2028' || r == '\u2029' {
			space = n > 0
			continue
		}
		if hidden(r) {
			continue
		}
		if n >= most || i > 16*most+1024 {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			n++
			space = false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Head is up to so many bytes of a text, of whole characters.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// hidden says whether a terminal may obey a character instead of showing it.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\uFEFF', r == '\u061C', r == '\u200E', r == '\u200F':
		return true
	}
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2060' && r <= '\u206F' || r >= 0xE0000 && r <= 0xE0FFF
}

// FirstSentence is the first of a text that may be a comment or have marks of
// Markdown, in at most so many characters.
func FirstSentence(text string, most int) string {
	var b strings.Builder
	for l := range Lines(text) {
		bare := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l.Text), "/*#!;->\"'"))
		bare = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(bare, "*/"), `"""`), `'''`))
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

// SentenceEnd returns where the first sentence ends, or 0. A full stop ends one
// before a blank or the end, not after a single letter; other scripts' marks
// always do.
func SentenceEnd(text string) int {
	for i, r := range text {
		if i > 2000 {
			return 0
		}
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '｡', '।', '॥', '۔', '။', '።', '։':
			return end
		case '.', '!', '?', '؟', '…':
			rest := strings.TrimLeft(text[end:], `"')]*_`)
			end = len(text) - len(rest)
			if rest == "" {
				return end
			}
			if !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
				continue
			}
			if r == '.' && abbreviated(text[:i]) {
				continue
			}
			return end
		}
	}
	return 0
}

// abbreviated says whether the text before a full stop ends in a single letter
// or a short form, or is the number of what follows.
func abbreviated(text string) bool {
	if len(text) < 12 && strings.Trim(text, " 0123456789.") == "" {
		return true
	}
	word := text[strings.LastIndexAny(text, " (\t")+1:]
	switch strings.ToLower(word) {
	case "e.g", "i.e", "mr", "mrs", "dr", "vs", "cf", "etc", "no", "z.b", "bzw", "ca":
		return true
	}
	return utf8.RuneCountInString(word) <= 1 && strings.IndexByte("0123456789", FirstByte(word)) < 0
}

func FirstByte(word string) byte {
	if word == "" {
		return 'a'
	}
	return word[0]
}

// Word is the identifier at i, which may be the end or beyond it.
func Word(code string, i int) string {
	i = min(i, len(code))
	from := i
	for i < len(code) && IsWord(code[i]) {
		i++
	}
	return code[from:i]
}

func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9' || c >= 0x80 || c == '$'
}

// Until is where part begins in text, or the text's length.
func Until(text, part string) int {
	if i := strings.Index(text, part); i >= 0 {
		return i
	}
	return len(text)
}

func LastByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}
