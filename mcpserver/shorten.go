package mcpserver

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// errorTokens is a little less than the 200 tokens that an error may cost.
const errorTokens = 185

// shorten cuts a text to the tokens that an error may cost. First it cuts long words in
// their middle, because those come from a client or a file. Then it cuts the middle of
// the text: the beginning says what was wrong, and the end which kind of error it is.
func shorten(text string) string {
	const most, short = 20 * errorTokens, 12
	if len(text) <= errorTokens {
		return text
	}
	words := strings.Split(middleCut(text, most), " ")
	for atMost(strings.Join(words, " ")) > errorTokens {
		longest := 0
		for i, w := range words {
			if len(w) > len(words[longest]) {
				longest = i
			}
		}
		if len(words[longest]) <= short {
			break
		}
		words[longest] = middleCut(words[longest], len(words[longest])/2)
	}
	text = strings.Join(words, " ")
	for keep := len(text); atMost(text) > errorTokens; {
		keep = keep * 3 / 4
		text = middleCut(text, keep)
	}
	return text
}

// middleCut cuts a text in its middle to at most the given bytes.
func middleCut(text string, most int) string {
	const gap = "..."
	if len(text) <= most {
		return text
	}
	keep := (most - len(gap)) / 2
	from, to := keep, len(text)-keep
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[:from] + gap + text[to:]
}

// atMost returns the tokens that a text costs, or more, whatever the text is. Plain words
// are estimated. In any other word each byte may cost a token, and so may the space
// before it.
func atMost(text string) int {
	var plain []byte
	odd := 0
	for word := range strings.SplitSeq(text, " ") {
		if plainWord(word) {
			plain = append(append(plain, word...), ' ')
		} else {
			odd += len(word) + 1
		}
	}
	return tokens.EstimateBytes(plain)*21/20 + odd
}

// plainWord reports whether a word has ASCII letters only, apart from a few marks around them.
func plainWord(word string) bool {
	const long, marks = 20, 4
	letters := strings.Trim(word, "\"'(),;:.")
	return letters != "" && len(word) <= long && len(word)-len(letters) <= marks &&
		!strings.ContainsFunc(letters, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
}
