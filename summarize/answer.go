package summarize

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The reasons for which a model stops before it is done.
const (
	stopLength  = "length"
	stopRefused = "refused"
)

// mostCounted is the most tokens that one call can have cost. A larger number in an
// answer is an error of the provider, and is not counted.
const mostCounted = 20_000_000

// A count is a number of tokens in an answer. A value that is not a valid number
// counts as 0, so that it does not make the summary fail.
type count int64

// UnmarshalJSON takes any value.
func (c *count) UnmarshalJSON(text []byte) error {
	*c = 0
	var n float64
	if json.Unmarshal(text, &n) == nil && n > 0 && n <= mostCounted {
		*c = count(n)
	}
	return nil
}

// summaryOf returns the summary in an answer. The limit is the number of tokens that
// the model was allowed. A summary that was cut at the limit is used up to its last
// whole line, and ends with a note that it was cut: it has been paid for, and its
// beginning is still useful.
func (p *provider) summaryOf(a answer, limit int) (string, *trouble) {
	text := strings.TrimSpace(presentable(withoutThoughts(a.text)))
	long := tokens.Estimate(text) > p.maxTokens*3/2 // a server that does not know the limit
	if long {
		text = text[:fitting(text, p.maxTokens)]
	}
	switch {
	case a.stop == stopRefused:
		t := p.fails("the model %s refused to summarise this file", p.shownModel())
		t.way = store.Way{Do: store.DoReadFile}
		return "", t
	case text == "" && a.stop == stopLength:
		t := p.fails("the model %s used its %d tokens before it wrote a word; set --summary-model to one that "+
			"reasons less (in Go, ProviderOptions.MaxTokens gives it more)", p.shownModel(), limit)
		t.wordless = true
		return "", t
	case text == "" && a.stop != "":
		return "", p.fails("the model %s wrote nothing and stopped with %q", p.shownModel(), p.says(a.stop))
	case text == "":
		return "", p.fails("the answer has no text; try again, or another model with --summary-model")
	case a.stop == stopLength || long:
		text = lastWhole(text) + "\n[the summary was cut here]"
	}
	return text, nil
}

// withoutThoughts removes the reasoning that some models write before their answer.
func withoutThoughts(text string) string {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "<think>") {
		return text
	}
	if _, after, closed := strings.Cut(trimmed, "</think>"); closed {
		return after
	}
	return "" // it was cut within the reasoning
}

// presentable removes control characters except line feed and tab, and characters
// that a model reads but a person does not see. Up to two joining characters are
// kept after a visible character that is not ASCII: some scripts and emoji need them.
func presentable(text string) string {
	joined, last := 0, rune(0) // since the last visible character
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0:
			return -1
		case !unseen(r):
			joined, last = 0, r
			return r
		case joins(r) && joined < 2 && last > unicode.MaxASCII && unicode.In(last, unicode.L, unicode.M, unicode.S):
			joined++
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func joins(r rune) bool {
	return r == '\u200C' || r == '\u200D' || r == '\uFE0E' || r == '\uFE0F'
}

// lastWhole returns a text up to the end of its last line if that leaves most of
// it, and up to its last space otherwise.
func lastWhole(text string) string {
	for _, end := range []string{"\n", " "} {
		if i := strings.LastIndex(text, end); i > len(text)/2 {
			return strings.TrimRight(text[:i], " \n")
		}
	}
	return text
}

// fitting returns the length in bytes of a head of the text that has about most
// tokens. It is at least one character, and ends after a space if one is near.
func fitting(text string, most int) int {
	const perToken = 8 // longer heads are not tried, though they may fit
	n := min(len(text), perToken*most)
	for cost := tokens.Estimate(text[:n]); n > 1 && cost > most; cost = tokens.Estimate(text[:n]) {
		n = min(n-1, n/20*19, int(int64(n)*int64(most)/int64(cost)))
		n = max(n, 1)
	}
	if n == len(text) {
		return n
	}
	if i := strings.LastIndexByte(text[:n], ' '); i > n*9/10 {
		return i + 1
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(text)
	}
	return n
}

// checkRead returns an error if the server read much less than it was sent. Some
// servers drop what does not fit into their context without an error. The summary
// would then cover only a part of the text.
func (p *provider) checkRead(a answer, sent int) *trouble {
	if p.own || a.read == 0 || sent < 2_000 || a.read*2 >= int64(sent) {
		return nil
	}
	return p.fails("the server read %d of about %d tokens, so its context is smaller than the window: set a smaller "+
		"window (--summary-window), or a larger context there (Ollama: OLLAMA_CONTEXT_LENGTH)", a.read, sent)
}

// fails returns a trouble that names the provider. It does not name a host that the
// operator chose: agents see the text.
func (p *provider) fails(text string, args ...any) *trouble {
	by := p.api.method
	if p.own {
		by += " at " + p.host
	}
	return &trouble{text: by + ": " + fmt.Sprintf(text, args...)}
}
