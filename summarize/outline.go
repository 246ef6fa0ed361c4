package summarize

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// outlineRules is the version of the rules: another one makes other outlines.
const outlineRules = "2"

const (
	outlineTokens      = 600
	leastOutlineTokens = 40
)

// OutlineOptions of [Outline] and [OutlineText]. The zero value works.
type OutlineOptions struct {
	MaxTokens int // the most that the outline costs, by tokens.Estimate; 0: 600; less than 40 is 40
}

func (o OutlineOptions) withDefaults() OutlineOptions {
	if o.MaxTokens <= 0 {
		o.MaxTokens = outlineTokens
	}
	o.MaxTokens = max(o.MaxTokens, leastOutlineTokens)
	return o
}

// Outline returns a summarizer that works offline. Its text is that of
// [OutlineText]. It is safe for concurrent use.
func Outline(o OutlineOptions) workspace.Summarizer {
	o = o.withDefaults()
	prompt := outlineRules
	if o.MaxTokens != outlineTokens {
		prompt = fmt.Sprintf("%s, %d tokens", outlineRules, o.MaxTokens)
	}
	return workspace.Summarizer{
		Method: "outline",
		Prompt: prompt,
		Summarize: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			if err := ctx.Err(); err != nil {
				return workspace.SummaryText{}, err
			}
			text := OutlineText(r.Path, r.Content, o)
			if r.Progress != nil {
				r.Progress(1, 1)
			}
			return workspace.SummaryText{Text: text}, nil
		},
	}
}

// OutlineText returns what is where in a text: a line that says what it is, then
// lines that begin with the number of a line, or the first and last of a part, as
// read_file's from_line and to_line count them. What had no room is counted
// where it was. The path tells the kind of text where it can; the content does
// otherwise. The same arguments give the same text, which has no control
// characters but line feeds.
func OutlineText(path, content string, o OutlineOptions) string {
	o = o.withDefaults()
	size := plural(len(content), "byte")
	if isBinary(content) {
		return "Binary, " + size
	}
	content = strings.ToValidUTF8(content, "\uFFFD")
	lines := countLines(content)
	found := scan(path, content)
	head := fmt.Sprintf("%s, %s, %s", found.kind, plural(lines, "line"), size)
	return found.fit(head, o.MaxTokens)
}

// scan reads the text as what it seems to be.
func scan(path, content string) outline {
	content = strings.TrimPrefix(content, "\uFEFF")    // a mark of the byte order
	for _, mark := range []byte{inString, newString} { // the scanners' own
		if strings.IndexByte(content, mark) >= 0 {
			content = strings.ReplaceAll(content, string(rune(mark)), " ")
		}
	}
	if strings.TrimSpace(content) == "" {
		return outline{kind: "Empty"}
	}
	k := kindOf(path, content)
	if found, ok := k.scan(content); ok {
		return found
	}
	found := scanProse(content)
	found.kind = "Text"
	if k.name != "" && k.name != found.kind {
		found.kind = "Text, no valid " + k.name
	}
	return found
}
