package code

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A syntax says what in a language is not code.
type syntax struct {
	spans     []span         // comments and strings; of those that begin alike the longest is first
	templates bool           // `...${code}...`
	regexps   bool           // /.../
	lifetimes bool           // ' may begin a name
	escapes   bool           // a backslash in code takes the next byte's meaning
	heredoc   *regexp.Regexp // names the word that ends a text which begins on the next line
	embedded  bool           // code is between <? and ?>
	dollars   bool           // $word$...$word$
}

// A span is a comment or string. One that begins with a line feed begins on a line
// of its own. Without an end it goes on to the end of the text.
type span struct {
	open, end string
	comment   bool
	nests     bool   // comments in comments
	apart     bool   // only after a blank or sign
	escapes   bool   // a backslash takes the next byte's meaning
	doubled   bool   // two ends do not end it
	lines     bool   // a string goes on over lines
	keeps     string // lines of a comment that begin so are left as they are
	after     string // what stands before it, in small letters
	needs     string // only in a text that begins with some lines which have this
}

const inString = 1 // stands for a byte of a string

// mostEndless is how many strings without an end are looked for up to the end of
// the text. Further strings end with their lines.
const mostEndless = 8

const mostTemplates = 64 // within each other

// A blanker makes a text of the same length in which comments are blanks and the
// bytes of strings are inString, so that what is left is code.
type blanker struct {
	*syntax
	in    string
	out   []byte
	at    int
	spans [256][]span // by their first byte
	last  byte        // of the code so far, blanks aside; 'a' for a word
	wait  []string    // end the heredocs that begin on the next line

	dollars  bool
	dividing int // up to where a slash begins no regular expression: none ended
	endless  int // strings and heredocs without an end
}

func blank(text string, s *syntax) string {
	b := blanker{syntax: s, in: text, out: make([]byte, len(text)), last: '\n'}
	top := excerpt.Head(text, 1<<16)
	for _, sp := range s.spans {
		if strings.Contains(top, sp.needs) {
			b.spans[sp.open[0]] = append(b.spans[sp.open[0]], sp)
		}
	}
	b.dollars = s.dollars && !strings.Contains(top, "DELIMITER ") // which may be $$
	if b.embedded {
		b.quote(min(len(text), excerpt.Until(text, "<?")+2))
	}
	b.beginLine()
	for b.at < len(b.in) {
		b.step()
	}
	return string(b.out)
}

// step reads one run of code, comment or string.
func (b *blanker) step() {
	c := b.in[b.at]
	if plain[c] {
		b.run()
		return
	}
	rest := b.in[b.at:]
	if c == '\n' {
		b.keep('\n')
		b.hereTexts()
		b.beginLine()
		return
	}
	for i := range b.spans[c] {
		if sp := &b.spans[c][i]; strings.HasPrefix(rest, sp.open) && b.begins(sp, rest) {
			b.take(sp, rest, len(sp.open))
			return
		}
	}
	if n := b.stringEnd(c, rest); n > 0 {
		b.quote(n)
		return
	}
	switch {
	case c == '<' && b.heredoc != nil && strings.HasPrefix(rest, "<<"):
		b.hereWord(rest)
	case c == '\\' && b.syntax.escapes && len(rest) > 1 && rest[1] != '\n':
		b.keep(' ')
		b.keep(' ')
	default:
		b.keep(max(c, ' '))
	}
}

// stringEnd returns the length of a string that is no span, or 0.
func (b *blanker) stringEnd(c byte, rest string) int {
	switch {
	case c == '`' && b.templates:
		return templateEnd(rest, 0)
	case c == '/' && b.regexps:
		return b.regexpEnd(rest)
	case c == '$' && b.dollars:
		return b.dollarEnd(rest)
	}
	return 0
}

// plain are the bytes of words, and blanks.
var plain = func() (set [256]bool) {
	for c := range set {
		set[c] = excerpt.IsWord(byte(c)) && c != '$' || c == ' ' || c == '\t' || c == '\r'
	}
	return set
}()

// run keeps a run of words and blanks.
func (b *blanker) run() {
	in, out := b.in[b.at:], b.out[b.at:]
	n := 0
	for n < len(in) && plain[in[n]] {
		out[n] = in[n]
		n++
	}
	if word := bytes.TrimRight(out[:n], " \t\r"); len(word) > 0 {
		b.last = 'a'
	}
	b.at += n
}

func (b *blanker) keep(c byte) {
	b.out[b.at] = c
	b.at++
	if c != ' ' {
		b.last = c
	}
}

// clear blanks n bytes, without line feeds and the lines that begin as told.
func (b *blanker) clear(n int, keeps string) {
	end := b.at + n
	for b.at < end {
		line := b.in[b.at:end]
		line = line[:min(len(line), excerpt.Until(line, "\n")+1)]
		kept := keeps != "" && strings.HasPrefix(line, keeps)
		for i := range len(line) {
			if kept || line[i] == '\n' {
				b.out[b.at+i] = line[i]
			} else {
				b.out[b.at+i] = ' '
			}
		}
		b.at += len(line)
	}
}

// quote marks n bytes as a string.
func (b *blanker) quote(n int) {
	for end := b.at + n; b.at < end; b.at++ {
		b.out[b.at] = inString
	}
	b.last = '"'
}

// beginLine reads a span that begins on a line of its own.
func (b *blanker) beginLine() {
	rest := b.in[b.at:]
	for i := range b.spans['\n'] {
		sp := &b.spans['\n'][i]
		open := sp.open[1:]
		before := strings.TrimRight(b.in[max(0, b.at-len(sp.after)-2):b.at], "\r\n")
		if !strings.HasPrefix(rest, open) || !strings.EqualFold(before[max(0, len(before)-len(sp.after)):], sp.after) || open == "=" && !(len(rest) > 1 && excerpt.IsWord(rest[1])) {
			continue
		}
		b.take(sp, rest, 0)
		return
	}
}

// begins says whether a span begins where its first bytes are.
func (b *blanker) begins(sp *span, rest string) bool {
	before := byte('\n')
	if b.at > 0 {
		before = b.in[b.at-1]
	}
	switch {
	case sp.apart:
		return strings.IndexByte(" \t\n;()\r{}[],", before) >= 0 && !(b.embedded && strings.HasPrefix(rest, "#["))
	case sp.open != "'":
		return true
	case b.lifetimes && !isCharacter(rest):
		return false
	}
	return sp.lines || before < '0' || before > '9' // 1'000'000
}

// isCharacter tells a character in quotes from a lifetime of Rust.
func isCharacter(rest string) bool {
	if strings.HasPrefix(rest, `'\`) {
		return true
	}
	_, size := utf8.DecodeRuneInString(rest[1:])
	return strings.HasPrefix(rest[1+size:], "'")
}

// take reads a span. Its end is looked for after so many bytes.
func (b *blanker) take(sp *span, rest string, from int) {
	if n := b.spanEnd(sp, rest, from); sp.comment {
		b.clear(n, sp.keeps)
	} else {
		b.quote(n)
	}
}

// spanEnd returns the length of a span. A string without an end ends with its line.
func (b *blanker) spanEnd(sp *span, rest string, from int) int {
	if sp.end == "" {
		return len(rest)
	}
	escapes := sp.escapes || b.dollars && b.at > 0 && b.in[b.at-1]|0x20 == 'e' // E'...' of SQL
	lines := sp.comment || sp.lines && b.endless <= mostEndless
	depth := 1
	for i := from; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && escapes && !sp.comment:
			i++
		case c == '\n' && (!lines || sp.end == "\n"):
			return i
		case c == sp.end[0] && strings.HasPrefix(rest[i:], sp.end):
			i += len(sp.end) - 1
			if sp.doubled && strings.HasPrefix(rest[i+1:], sp.end) {
				i++
			} else if depth--; depth == 0 {
				return i + 1
			}
		case sp.nests && strings.HasPrefix(rest[i:], sp.open):
			depth++
			i += len(sp.open) - 1
		}
	}
	if sp.comment {
		return len(rest)
	}
	b.endless++
	return excerpt.Until(rest, "\n")
}

// templateEnd returns the length of a template with the code in it.
func templateEnd(rest string, depth int) int {
	braces := 0
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == rest[0] && braces == 0:
			return i + 1
		case c == rest[0] && depth < mostTemplates:
			i += templateEnd(rest[i:], depth+1) - 1
		case c == '{' && (braces > 0 || rest[i-1] == '$'):
			braces++
		case c == '}':
			braces = max(0, braces-1)
		}
	}
	return len(rest)
}

// valueFollows matches words after which a slash begins a regular expression.
var valueFollows = regexp.MustCompile(`\b(?:return|case|typeof|when|if|unless|and|or|not|in|of|split) *$`)

// regexpEnd returns the length of a regular expression, which cannot follow a
// value, or 0.
func (b *blanker) regexpEnd(rest string) int {
	if b.at < b.dividing || strings.IndexByte("(,=:[!&|?{};+-*%~^<>\n", b.last) < 0 && !(b.last == 'a' && valueFollows.MatchString(b.in[max(0, b.at-16):b.at])) {
		return 0
	}
	class := false
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == '\n':
			b.dividing = b.at + i
			return 0
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	b.dividing = len(b.in)
	return 0
}

// dollarEnd returns the length of $word$...$word$, or 0.
func (b *blanker) dollarEnd(rest string) int {
	n := 1 + strings.IndexByte(rest[1:min(len(rest), 64)], '$')
	if b.endless > mostEndless || b.at > 0 && excerpt.IsWord(b.in[b.at-1]) || n < 1 || n > 1 && (rest[1] <= '9' || len(excerpt.Word(rest[:n], 1)) < n-1) {
		return 0
	}
	end := strings.Index(rest[n+1:], rest[:n+1])
	if end < 0 {
		b.endless++
		return 0
	}
	return n + 1 + end + n + 1
}
