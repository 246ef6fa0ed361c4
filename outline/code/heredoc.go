package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// hereWord notes a heredoc, whose text begins on the next line.
func (b *blanker) hereWord(rest string) {
	var m []string
	if b.endless <= mostEndless {
		m = b.heredoc.FindStringSubmatch(excerpt.Head(rest, 80))
	}
	for b.at < len(b.in) && b.in[b.at] == '<' {
		b.keep('<')
	}
	if m != nil {
		b.wait = append(b.wait, strings.Join(m[1:], ""))
	}
}

// hereTexts marks the lines of the heredocs up to their ends. The line feed before
// a text is marked too, so that all is one line of code.
func (b *blanker) hereTexts() {
	for _, wait := range b.wait {
		if b.endless > mostEndless {
			break
		}
		n := hereEnd(b.in[b.at:], wait)
		if n == 0 {
			b.endless++
			continue
		}
		b.at--
		b.quote(n + 1)
		b.at = min(len(b.in), b.at+1)
		b.out[b.at-1] = '\n'
	}
	b.wait = b.wait[:0]
}

// hereEnd returns where the word ends that ends a heredoc, or 0.
func hereEnd(text, wait string) int {
	for l := range excerpt.Lines(text) {
		bare := strings.TrimLeft(l.Text, " \t")
		if strings.HasPrefix(bare, wait) && strings.Trim(bare[len(wait):], ";,)]` ") == "" {
			return l.At + len(l.Text) - len(bare) + len(wait)
		}
	}
	return 0
}
