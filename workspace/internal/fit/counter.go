package fit

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// A Counter counts the tokens of a text. nil is tokens.Estimate.
//
// A Counter may take long for a long text. So the methods give it pieces of at most pieceBytes,
// and stop at the bound that they decide. They do not call it for a text that has no more bytes
// than the bound has tokens, because no token is shorter than a byte.
type Counter func(text string) int

// pieceBytes is the most bytes that a Counter counts at once. Tokenizers need time by the square
// of the length of a single word.
const pieceBytes = 2048

// Within reports whether a text costs at most a number of tokens.
func (c Counter) Within(text []byte, maxTokens int) bool {
	if len(text) <= maxTokens {
		return true
	}
	if c == nil {
		return tokens.Within(text, maxTokens)
	}
	_, n := c.begin(text, maxTokens)
	return n <= maxTokens
}

// Tokens returns what a text costs a model.
func (c Counter) Tokens(text []byte) int {
	if c == nil {
		return tokens.EstimateBytes(text)
	}
	_, n := c.begin(text, len(text))
	return n
}

// begin counts the pieces of a text up to the first piece that is not within a number of tokens.
// It returns where that piece begins, and the tokens with that piece.
func (c Counter) begin(text []byte, maxTokens int) (begin, n int) {
	for begin < len(text) {
		size, joins := piece(text[begin:])
		n += max(0, c(string(text[begin:begin+size]))) + joins
		if n > maxTokens {
			return begin, n
		}
		begin += size
	}
	return begin, n
}

// Dearer reports whether a difference costs more than the text that it stands for. overhead is
// how many tokens the difference costs beside its own. If both costs are estimates, the
// difference must be cheaper by more than the estimates err.
func (c Counter) Dearer(diff []byte, overhead int, text []byte) bool {
	if c == nil {
		most := (tokens.EstimateBytes(text)-slack(text))*10/13 - overhead
		return !c.Within(diff, most-slack(diff))
	}
	_, n := c.begin(diff, len(text)) // no text costs more tokens than it has bytes
	return c.Within(text, n+overhead-1)
}

// piece returns the size of the first piece of a text. The tokens of the pieces add up to those
// of the text, because no token of o200k_base begins before the end of a piece and ends behind
// it. If a long word must be cut, joins is 1: the cut may hide a token.
func piece(text []byte) (size, joins int) {
	if len(text) <= pieceBytes {
		return len(text), 0
	}
	for size = pieceBytes; size > 1; size-- {
		if text[size-1] == '\n' && !joinsLine(text[size:]) || startsWord(text[size-1:]) {
			return size, 0
		}
	}
	for size = pieceBytes; size > 1 && !utf8.RuneStart(text[size]); size-- {
	}
	return size, 1
}

// joinsLine reports whether a token may have both a line feed and the text behind it.
// White space up to the last line feed of several is one token, and so are marks, line feeds
// and slashes in a row.
func joinsLine(text []byte) bool {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	rest := bytes.TrimLeftFunc(text, unicode.IsSpace)
	return len(rest) == 0 || len(rest) == len(text) && rest[0] == '/'
}

// startsWord reports whether the second byte of a text is a single space before an ASCII letter.
// The token of the word begins with that space.
func startsWord(text []byte) bool {
	return len(text) > 2 && text[1] == ' ' && text[0] < utf8.RuneSelf && !unicode.IsSpace(rune(text[0])) &&
		('a' <= text[2]|0x20 && text[2]|0x20 <= 'z')
}
