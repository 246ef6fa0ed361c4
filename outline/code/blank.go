package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A syntax says what in a language is not code.
type syntax struct {
	line     string    // begins a comment to the line's end
	hash     bool      // so does a number sign
	block    [2]string // begins and ends a comment
	nests    bool      // comments in comments
	quotes   string    // begin and end a string within a line; a backslash escapes
	raw      byte      // begins and ends a string over lines, without escapes
	template byte      // the same with escapes, and with ${code}
	triple   bool      // three quotes are a string over lines
	rust     bool      // r#"..."#, and ' may be a lifetime
	regexp   bool      // /.../
	verbatim bool      // @"..."
	heredoc  string    // before the word that ends a text which begins on the next line
	shift    bool      // the same is an operator too
	long     bool      // strings go on over lines
	shell    bool      // a backslash escapes a quote, but not within '...'
	pages    [2]string // begin the first and the last line of a comment
	lua      bool      // [==[...]==]
	php      bool      // what is not within <? and ?> is no code
}

const (
	inString = 1 // a byte of a string

	// StringFeed stands for a line feed in a string.
	StringFeed = 2
)

// BlankKeys blanks the comments of a text of keys and values, which begin with
// number signs. If the values have quotes, line feeds within them are [StringFeed].
func BlankKeys(text, quotes string) string {
	return blank(text, syntax{hash: true, triple: quotes != "", quotes: quotes})
}

const (
	wordByte  = 1
	blankByte = 2
)

// A blanker makes a text of the same length in which comments are blanks, and the
// bytes of strings inString and StringFeed, so that what is left is code.
type blanker struct {
	syntax
	in   string
	out  []byte
	at   int
	last byte      // of the code so far, blanks aside
	deep []int     // braces open within each ${ of the templates around
	wait []string  // end the heredocs that begin on the next line
	runs [256]byte // wordByte, blankByte or 0

	dividing int // up to where a slash begins no regular expression: none ended
	endless  int // heredocs without an end
}

func blank(text string, s syntax) string {
	b := blanker{syntax: s, in: text, out: make([]byte, len(text)), last: '\n'}
	for c := range b.runs {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= '0' && c <= '9', c >= 0x80:
			b.runs[c] = wordByte
		case c == ' ' || c == '\t' || c == '\r':
			b.runs[c] = blankByte
		}
	}
	b.page()
	if b.php {
		b.clear(excerpt.Until(b.in, "<?"))
	}
	for b.at < len(b.in) {
		b.step()
	}
	return string(b.out)
}

// step reads one run of code, comment or string.
func (b *blanker) step() {
	c := b.in[b.at]
	if b.runs[c] != 0 {
		b.words()
		return
	}
	rest := b.in[b.at:]
	switch {
	case c == '\n':
		b.keep('\n')
		b.hereTexts()
		b.page()
		return
	case b.block[0] != "" && c == b.block[0][0] && strings.HasPrefix(rest, b.block[0]):
		b.clear(b.blockEnd())
		return
	case b.line != "" && c == b.line[0] && strings.HasPrefix(rest, b.line), b.hash && c == '#' && b.startsComment():
		b.clear(b.lineEnd(rest))
		return
	case c == '?' && b.php && strings.HasPrefix(rest, "?>"):
		b.clear(excerpt.Until(rest, "<?"))
		return
	case c == '<' && b.heredoc != "" && strings.HasPrefix(rest, b.heredoc):
		b.hereWord(rest)
		return
	case c == '\\' && b.shell && len(rest) > 1 && strings.IndexByte(b.quotes, rest[1]) >= 0:
		b.keep(' ')
		b.keep(' ')
		return
	case b.template != 0 && c == b.template:
		b.templateText()
		return
	case len(b.deep) > 0 && b.braces(c):
		return
	}
	if n := b.stringEnd(c, rest); n > 0 {
		b.quote(n)
		return
	}
	if c < ' ' {
		c = ' '
	}
	b.keep(c)
}

// words keeps a run of words and blanks.
func (b *blanker) words() {
	in, out := b.in[b.at:], b.out[b.at:]
	n, end := 0, 0
	for n < len(in) && n < len(out) {
		k := b.runs[in[n]]
		if k == 0 {
			break
		}
		out[n] = in[n]
		n++
		if k == wordByte {
			end = n
		}
	}
	if end > 0 {
		b.last = in[end-1]
	}
	b.at += n
	if b.rust && n > 0 && in[n-1] == 'r' && (n < 3 || !excerpt.IsWord(in[n-2]) || !excerpt.IsWord(in[n-3])) {
		if n := rustRaw(b.in[b.at:]); n > 0 {
			b.quote(n)
		}
	}
}

func (b *blanker) keep(c byte) {
	b.out[b.at] = c
	b.at++
	if c != ' ' {
		b.last = c
	}
}

// startsComment says whether a number sign does: in a shell $# and ${a#b} do not.
func (b *blanker) startsComment() bool {
	if strings.HasPrefix(b.in[b.at:], "#[") && b.line != "" {
		return false // an attribute of PHP
	}
	return b.at == 0 || strings.IndexByte(" \t\n;()\r{}[],", b.in[b.at-1]) >= 0
}

// clear blanks n bytes, but for line feeds.
func (b *blanker) clear(n int) {
	in, out := b.in[b.at:b.at+n], b.out[b.at:b.at+n]
	for i := range out {
		out[i] = ' '
		if in[i] == '\n' {
			out[i] = '\n'
		}
	}
	b.at += n
}

// quote marks n bytes as a string.
func (b *blanker) quote(n int) {
	in, out := b.in[b.at:b.at+n], b.out[b.at:b.at+n]
	for i := range out {
		out[i] = inString
		if in[i] == '\n' {
			out[i] = StringFeed
		}
	}
	b.at += n
	b.last = '"'
}

// lineEnd is the length of a comment that ends with the line.
func (b *blanker) lineEnd(rest string) int {
	n := excerpt.Until(rest, "\n")
	switch {
	case b.php:
		n = excerpt.Until(rest[:n], "?>")
	case b.lua && n > 2:
		if long := longBracket(rest[2:]); long > 0 {
			n = 2 + long
		}
	}
	return n
}

// longBracket is the length of [==[...]==], or 0.
func longBracket(rest string) int {
	n := 1
	for n < len(rest) && n < 16 && rest[n] == '=' {
		n++
	}
	if n >= len(rest) || rest[0] != '[' || rest[n] != '[' {
		return 0
	}
	end := "]" + rest[1:n] + "]"
	return min(len(rest), n+1+excerpt.Until(rest[n+1:], end)+len(end))
}

func (b *blanker) blockEnd() int {
	rest := b.in[b.at:]
	open, end := b.block[0], b.block[1]
	if !b.nests {
		n := excerpt.Until(rest[len(open):], end)
		return min(len(rest), len(open)+n+len(end))
	}
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == open[0] && strings.HasPrefix(rest[i:], open):
			depth++
			i += len(open) - 1
		case rest[i] == end[0] && strings.HasPrefix(rest[i:], end):
			depth--
			i += len(end) - 1
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(rest)
}

// braces follows the code within templates, and returns to their text.
func (b *blanker) braces(c byte) bool {
	top := len(b.deep) - 1
	switch {
	case c == '{':
		b.deep[top]++
	case c == '}' && b.deep[top] > 0:
		b.deep[top]--
	case c == '}':
		b.deep = b.deep[:top]
		b.templateText()
		return true
	}
	return false
}

// templateText marks the text of a template up to its end or the next ${.
func (b *blanker) templateText() {
	i := b.at + 1
	for i < len(b.in) {
		switch c := b.in[i]; {
		case c == '\\':
			i++
		case c == b.template:
			b.quote(min(i+1, len(b.in)) - b.at)
			return
		case c == '$' && strings.HasPrefix(b.in[i:], "${") && len(b.deep) < 64:
			b.quote(i + 2 - b.at)
			b.deep = append(b.deep, 0)
			b.last = '('
			return
		}
		i++
	}
	b.quote(len(b.in) - b.at)
}

// stringEnd returns the length of the string that begins here, or 0.
func (b *blanker) stringEnd(c byte, rest string) int {
	switch {
	case b.raw != 0 && c == b.raw:
		return min(len(rest), excerpt.Until(rest[1:], string(c))+2)
	case b.verbatim && c == '@' && strings.HasPrefix(rest, `@"`):
		return verbatimEnd(rest)
	case b.lua && c == '[':
		return longBracket(rest)
	case b.regexp && c == '/':
		return b.regexpEnd(rest)
	case strings.IndexByte(b.quotes, c) < 0:
		return 0
	}
	if b.triple && len(rest) > 2 && rest[1] == c && rest[2] == c {
		return tripleEnd(rest)
	}
	if c == '\'' && (b.rust && !rustChar(rest) || !b.shell && b.digitBefore()) {
		return 0
	}
	escapes := !b.shell || c != '\'' || b.last == '$'
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			if escapes {
				i++
			}
		case c:
			return i + 1
		case '\n':
			if !b.long {
				return i
			}
		}
	}
	return len(rest)
}

// digitBefore says whether a quote follows a digit, as in 1'000'000.
func (b *blanker) digitBefore() bool {
	return b.at > 0 && b.in[b.at-1] >= '0' && b.in[b.at-1] <= '9'
}

func tripleEnd(rest string) int {
	for i := 3; i < len(rest); i++ {
		if rest[i] == '\\' {
			i++
		} else if rest[i] == rest[0] && strings.HasPrefix(rest[i:], rest[:3]) {
			return i + 3
		}
	}
	return len(rest)
}

func verbatimEnd(rest string) int {
	for i := 2; i < len(rest); i++ {
		if rest[i] != '"' {
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '"' {
			i++
			continue
		}
		return i + 1
	}
	return len(rest)
}

// regexpEnd is the length of a regular expression, which cannot follow a value.
func (b *blanker) regexpEnd(rest string) int {
	if b.at < b.dividing || strings.IndexByte("(,=:[!&|?{};+-*%~^<>\n", b.last) < 0 && !b.afterKeyword() {
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

// afterKeyword says whether the last word is one that a value follows.
func (b *blanker) afterKeyword() bool {
	code := strings.TrimRight(b.in[max(0, b.at-16):b.at], " ")
	from := len(code)
	for from > 0 && excerpt.IsWord(code[from-1]) {
		from--
	}
	switch code[from:] {
	case "return", "case", "typeof", "when", "if", "unless", "and", "or", "not", "in", "of", "split":
		return true
	}
	return false
}

// rustRaw is the length of #"..."# after the r, or 0.
func rustRaw(rest string) int {
	n := 0
	for n < len(rest) && n < 16 && rest[n] == '#' {
		n++
	}
	if n == len(rest) || rest[n] != '"' {
		return 0
	}
	end := `"` + rest[:n]
	return min(len(rest), n+1+excerpt.Until(rest[n+1:], end)+len(end))
}

// rustChar tells a character from a lifetime.
func rustChar(rest string) bool {
	if strings.HasPrefix(rest, `'\`) {
		return true
	}
	for i := 2; i < min(len(rest), 6); i++ {
		if rest[i] == '\'' {
			return true
		}
		if rest[i-1] < 0x80 && i > 1 {
			return false
		}
	}
	return false
}
