package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// hereWord notes a heredoc, whose text begins on the next line.
func (b *blanker) hereWord(rest string) {
	word := b.heredocWord(excerpt.Head(rest[len(b.heredoc):], 80))
	for b.at < len(b.in) && b.in[b.at] == '<' {
		b.keep('<')
	}
	if word != "" && b.endless <= 8 {
		b.wait = append(b.wait, word)
	}
}

// heredocWord is the word that ends the text, or "" where there is none.
func (b *blanker) heredocWord(rest string) string {
	if b.shell && b.arithmetic() {
		return ""
	}
	bare := strings.TrimLeft(rest, "-~")
	if !b.shift {
		bare = strings.TrimLeft(bare, " \t")
	}
	if bare == "" {
		return ""
	}
	switch c := bare[0]; {
	case c == '\'' || c == '"':
		end := strings.IndexByte(bare[1:], c)
		return bare[1 : max(0, end)+1]
	case c == '\\' && b.shell:
		bare = bare[1:]
	case c >= '0' && c <= '9', b.shift && bare == rest && (c < 'A' || c > 'Z'):
		return ""
	}
	n := 0
	for n < len(bare) && (excerpt.IsWord(bare[n]) || b.shell && strings.IndexByte("-.+", bare[n]) >= 0) {
		n++
	}
	return bare[:n]
}

// arithmetic says whether << is within (( of the same line.
func (b *blanker) arithmetic() bool {
	before := b.in[max(0, b.at-200):b.at]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return strings.LastIndex(before, "((") > strings.LastIndex(before, "))")
}

// hereTexts marks the lines of the heredocs up to their ends. Of those that have
// none only some are looked for.
func (b *blanker) hereTexts() {
	for i, wait := range b.wait {
		if b.endless > 8 {
			break
		}
		n := hereEnd(b.in[b.at:], wait)
		if n == 0 {
			b.endless++
			continue
		}
		b.at-- // the line end too: one line of code
		b.quote(n + 1)
		if i < len(b.wait)-1 {
			b.quote(min(1, len(b.in)-b.at))
		}
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

// page blanks the lines of a comment that begins on a line of its own, and what
// follows a program's end.
func (b *blanker) page() {
	if b.pages[0] == "" || b.at >= len(b.in) || b.in[b.at] != '=' && b.in[b.at] != '_' {
		return
	}
	rest := b.in[b.at:]
	switch {
	case strings.HasPrefix(rest, "__END__") || strings.HasPrefix(rest, "__DATA__"):
		b.clear(len(rest))
	case strings.HasPrefix(rest, b.pages[0]) && excerpt.IsWord(excerpt.FirstByte(rest[1:])):
		end := min(len(rest), excerpt.Until(rest, "\n"+b.pages[1])+1)
		b.clear(end + excerpt.Until(rest[end:], "\n"))
	}
}

// page notes a heading of Perl's pages, and what they say below it.
func (c *coder) page(l excerpt.Line) {
	heading := strings.TrimPrefix(c.in[l.At:], "=head")
	if c.Name != "Perl" || len(heading) == len(c.in)-l.At || heading == "" || heading[0] < '1' || heading[0] > '6' {
		return
	}
	end := l.At + len(l.Text)
	depth := int(heading[0] - '1')
	c.docs = -1
	c.add(l.At, end, 0, 1+2*min(depth, 2), depth)
	if below := strings.TrimLeft(excerpt.Head(c.in[end:], 400), " \t\r\n"); !strings.HasPrefix(below, "=") {
		c.defs[len(c.defs)-1].Doc = below
	}
}
