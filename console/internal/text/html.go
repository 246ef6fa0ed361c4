package text

import (
	"html/template"
	"iter"
	"strings"
	"unicode/utf8"
)

// HTML returns the text for the content of an element, with marks as
//
//	<span class="u" title="ZERO WIDTH SPACE">U+200B</span>
//
// The title is left out where [Run.Name] has none. The result is at most 30 times as long as
// the text. Line feeds and tabs stay.
func HTML(text string) template.HTML {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	Write(&b, text)
	return template.HTML(b.String())
}

// Write writes what [HTML] returns.
func Write(b *strings.Builder, text string) {
	if isPlain(text) {
		_, _ = escaper.WriteString(b, text) // a Builder does not fail
		return
	}
	writeRuns(b, Runs(text))
}

// isPlain reports whether a text has only characters of ASCII that are no marks. Most have.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// Name returns a name (a path, an agent, an author) for the content of an element. It is
// [HTML] inside a bdi element, so that its direction does not turn the words around it. In a
// name, tab and line feed are marks too.
func Name(name string) template.HTML {
	var b strings.Builder
	b.WriteString("<bdi>")
	writeRuns(&b, runs(name, true))
	b.WriteString("</bdi>")
	return template.HTML(b.String())
}

// Plain returns the text with marks as ⟨U+200B⟩, for places that hold no element: a title, an
// attribute, an option. It is not escaped; html/template does that. Tab and line feed
// are marks too.
func Plain(text string) string {
	var b strings.Builder
	for r := range runs(text, true) {
		if r.Mark {
			b.WriteString("⟨" + r.Label() + "⟩")
		} else {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

// An Element is the name of the element around a part of a text.
type Element string

// The elements.
const (
	Hit      Element = "mark" // found by a search
	Inserted Element = "ins"  // new words of a line
	Deleted  Element = "del"  // old words of a line
)

// Marked is [HTML] with an element around each span. A span is two offsets: where it begins,
// and where it ends. The text begins at offset at. The spans are in ascending order. What is
// outside of the text, empty, or inside of an earlier span is left out. A span that cuts a
// character gets all of it.
func Marked(text string, at int, spans [][2]int, e Element) template.HTML {
	w := cutter{text: text, element: e}
	w.b.Grow(len(text) + len(text)/8)
	for _, s := range spans {
		start, end := Floor(text, s[0]-at), boundary(text, s[1]-at, 1)
		if n := len(w.cuts); n > 0 {
			start = max(start, w.cuts[n-1][1])
		}
		if start < end {
			w.cuts = append(w.cuts, [2]int{start, end})
		}
	}
	for r := range Runs(text) {
		w.run(r)
	}
	return template.HTML(w.b.String())
}

// Floor returns the offset where the character begins that the byte at an offset is of. An
// offset outside of the text becomes 0 or the length of the text.
func Floor(text string, at int) int { return boundary(text, at, -1) }

// boundary goes from an offset by steps of 1 or -1 to where a character begins.
func boundary(text string, at, step int) int {
	at = min(max(at, 0), len(text))
	for range utf8.UTFMax {
		if at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at += step
		}
	}
	return at
}

// A cutter writes runs, cut where spans begin and end. The runs are those of the whole
// text, so that a span changes nothing about what is a mark.
type cutter struct {
	b       strings.Builder
	text    string
	element Element
	cuts    [][2]int // not yet over; in order, apart from each other
	at      int      // how much of the text is written
}

// run writes the next run.
func (c *cutter) run(r Run) {
	for stop := c.at + len(r.Text); c.at < stop; {
		start, end := stop, stop
		if len(c.cuts) > 0 {
			start, end = c.cuts[0][0], c.cuts[0][1]
		}
		if c.at == start {
			c.b.WriteString("<" + string(c.element) + ">")
		}
		next := min(stop, end)
		if c.at < start {
			next = min(stop, start)
		}
		writeRun(&c.b, Run{c.text[c.at:next], r.Mark})
		if c.at = next; len(c.cuts) > 0 && c.at == end {
			c.b.WriteString("</" + string(c.element) + ">")
			c.cuts = c.cuts[1:]
		}
	}
}

func writeRuns(b *strings.Builder, runs iter.Seq[Run]) {
	for r := range runs {
		writeRun(b, r)
	}
}

func writeRun(b *strings.Builder, r Run) {
	if !r.Mark {
		_, _ = escaper.WriteString(b, r.Text)
		return
	}
	b.WriteString(`<span class="u"`)
	if name := r.Name(); name != "" {
		b.WriteString(` title="` + name + `"`)
	}
	b.WriteString(">" + r.Label() + "</span>")
}

// escaper escapes for the content of an element and for an attribute in quotes.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
