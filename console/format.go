package console

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// formatTime returns a time element. The script puts the person's own time in its place.
func formatTime(t time.Time) template.HTML {
	if t.IsZero() {
		return `<span class="muted">never</span>`
	}
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		t.Format("2006-01-02T15:04:05.000Z"), t.Format("2006-01-02 15:04:05 UTC"), t.Format("2006-01-02 15:04")))
}

// formatBytes returns a size in the largest unit of which there is at least one, such as
// "1.2 MB". A MB is 1,000,000 bytes.
func formatBytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), 0
	for value >= 999.5 && unit < 4 {
		value, unit = value/1000, unit+1
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %cB", value, "BkMGT"[unit])
	}
	return fmt.Sprintf("%.0f %cB", value, "BkMGT"[unit])
}

// formatNumber returns a number with commas between groups of three digits.
func formatNumber(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// plural returns a number and a noun.
func plural(n int64, noun string) string { return formatNumber(n) + " " + phrase.Noun(n, noun) }

// bar returns a bar that shows how much of a limit is used. Its text alternative has
// the same in words.
func bar(used, limit int64, of string) template.HTML {
	if limit <= 0 {
		return ""
	}
	percent := min(100, int64(float64(max(0, used))/float64(limit)*100+0.5))
	class := "bar"
	switch {
	case percent >= 95:
		class = "bar bad"
	case percent >= 85:
		class = "bar warn"
	}
	return template.HTML(fmt.Sprintf(`<svg class="%s" role="img" aria-label="%d %% %s"><rect width="%[2]d%%" height="100%%"/></svg>`, class, percent, template.HTMLEscapeString(of)))
}

// authorName returns a short name of an author.
func authorName(a workspace.Author) string {
	name := a.Client
	if name == "" && a.Key != "" {
		name = "key " + a.Key
	}
	return cmp.Or(name, "unknown")
}

// sentence makes a sentence of the text of an error.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
