package outline

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// countLines counts as read_file does: "a\nb" has two, "" none.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// A line is one of a text: its number, from 1, where it begins, and its text
// without the line end.
type line struct {
	n, at int
	text  string
}

// linesOf gives the lines of a text in order.
func linesOf(text string) iter.Seq[line] {
	return func(yield func(line) bool) {
		for n, at := 1, 0; at < len(text); n++ {
			end := strings.IndexByte(text[at:], '\n')
			next := at + end + 1
			if end < 0 {
				end, next = len(text)-at, len(text)
			}
			l := text[at : at+end]
			if end > 0 && l[end-1] == '\r' {
				l = l[:end-1]
			}
			if !yield(line{n, at, l}) {
				return
			}
			at = next
		}
	}
}

func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

// indent counts the columns before the text; a tab goes to the next eighth.
func (l line) indent() int {
	n := 0
	for i := range len(l.text) {
		switch l.text[i] {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// clean is a text on one line of so many characters: without control characters
// and marks that turn the direction of writing, its blanks single.
func clean(text string, most int) string {
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

// head is up to so many bytes of a text, of whole characters.
func head(text string, most int) string {
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

// firstSentence is the first of a text that may be a comment or have marks of
// Markdown, in at most so many characters.
func firstSentence(text string, most int) string {
	var b strings.Builder
	for l := range linesOf(text) {
		bare := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l.text), "/*#!;->\"'"))
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
		if n := sentenceEnd(bare); n > 0 {
			b.WriteString(bare[:n])
			break
		}
		b.WriteString(head(bare, 8*most))
		if b.Len() > 4*most {
			break
		}
	}
	return clean(strings.ToValidUTF8(b.String(), ""), most)
}

// sentenceEnd returns where the first sentence ends, or 0. A full stop ends one
// before a blank or the end, not after a single letter; other scripts' marks
// always do.
func sentenceEnd(text string) int {
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
	return utf8.RuneCountInString(word) <= 1 && strings.IndexByte("0123456789", word0(word)) < 0
}

func word0(word string) byte {
	if word == "" {
		return 'a'
	}
	return word[0]
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
