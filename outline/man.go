package outline

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// isManual says whether a text is a manual page of troff: it begins with a
// command or a comment, and its name or a section follows.
func isManual(text string) bool {
	text = strings.TrimLeft(text[:min(len(text), 1<<16)], "\r\n")
	if text == "" || text[0] != '.' && text[0] != '\'' {
		return false
	}
	for l := range excerpt.Lines(text) {
		if strings.HasPrefix(l.Text, ".") {
			switch excerpt.Word(l.Text, 1) {
			case "TH", "Dd", "Dt", "SH", "Sh":
				return true
			}
		}
	}
	return false
}

// scanManual reads the sections of a manual page, with their first sentences.
func scanManual(text string) (outline, bool) {
	found := outline{kind: "Manual page"}
	var open [2]int               // the items, from 1, of the section and the part that the line is in
	heads, body, last := -1, 0, 0 // body is the last line of an opening
	for l := range excerpt.Lines(text) {
		last = l.N
		level := -1
		switch {
		case strings.HasPrefix(l.Text, ".SH"), strings.HasPrefix(l.Text, ".Sh"):
			level = 0
		case strings.HasPrefix(l.Text, ".SS"), strings.HasPrefix(l.Text, ".Ss"):
			level = 1
		case l.Blank() || l.Text[0] == '.' || l.Text[0] == '\'' || len(found.items) == 0:
			continue
		case heads >= 0:
			found.items[heads].text, heads = plainTroff(l.Text), -1
			continue
		default:
			it := &found.items[len(found.items)-1]
			if it.more == "" || body == l.N-1 && len(it.more) < 300 {
				it.more, body = it.more+plainTroff(excerpt.Head(l.Text, 600))+"\n", l.N
			}
			continue
		}
		for i := level; i < len(open); i++ {
			if open[i] > 0 {
				found.items[open[i]-1].end = int32(l.N - 1)
			}
			open[i] = 0
		}
		it := item{line: int32(l.N), rank: int16(level), indent: int16(level), text: plainTroff(strings.Trim(l.Text[3:], ` "`))}
		if heads = -1; it.text == "" {
			heads = len(found.items)
		}
		found.items = append(found.items, it)
		open[level] = len(found.items)
	}
	for _, i := range open {
		if i > 0 {
			found.items[i-1].end = int32(last)
		}
	}
	return found, len(found.items) > 0
}

// plainTroff is a text without changes of the font, and with plain signs.
func plainTroff(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; {
		case c == 'f' && i+1 < len(text) && text[i+1] == '[':
			i += excerpt.Until(text[i:], "]")
		case c == 'f' && i+1 < len(text) && text[i+1] == '(':
			i += 3
		case c == 'f':
			i++
		case c == '(':
			b.WriteString(troffSign(text[i+1 : min(len(text), i+3)]))
			i += 2
		case c == '[':
			n := excerpt.Until(text[i:], "]")
			b.WriteString(troffSign(text[i+1 : i+n]))
			i += n
		case c == 'e':
			b.WriteByte('\\')
		case c != '&' && c != '/' && c != '|' && c != '^' && c != '%':
			b.WriteByte(c)
		}
	}
	return b.String()
}

func troffSign(name string) string {
	switch name {
	case "bu":
		return "•"
	case "em", "en":
		return "-"
	case "lq", "rq", "dq":
		return `"`
	case "aq", "cq", "oq":
		return "'"
	case "lB":
		return "["
	case "rB":
		return "]"
	case "la":
		return "<"
	case "ra":
		return ">"
	case "rs":
		return `\`
	}
	return ""
}
