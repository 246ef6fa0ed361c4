package visible

import (
	"cmp"
	"html/template"
	"iter"
	"slices"
	"sort"
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
	WriteName(&b, name)
	return template.HTML(b.String())
}

// WriteName writes what [Name] returns.
func WriteName(b *strings.Builder, name string) {
	b.WriteString("<bdi>")
	writeRuns(b, runs(name, true))
	b.WriteString("</bdi>")
}

// Text returns the text with marks as ⟨U+200B⟩, for places that hold no element: a title, an
// attribute, an option. It is not escaped; html/template does that. Tab and line feed
// are marks too.
func Text(text string) string {
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

// A Kind says what a part of a text is.
type Kind int

// The kinds, and their elements.
const (
	Hit      Kind = iota // found by a search: mark
	Inserted             // new words of a line: ins
	Deleted              // old words of a line: del
)

// element returns the name of the kind's element. An unknown kind is a Hit.
func (k Kind) element() string {
	switch k {
	case Inserted:
		return "ins"
	case Deleted:
		return "del"
	}
	return "mark"
}

// A Span is a part of a text: the bytes from Start to before End.
type Span struct {
	Start, End int
	Kind       Kind
}

// Marked is [HTML] with the spans in their elements. Spans may come in any order. What
// is outside of the text, empty, or inside of a span that begins before it, is left
// out. A span that cuts a character gets all of it.
func Marked(text string, spans []Span) template.HTML {
	if !slices.IsSortedFunc(spans, byStart) {
		spans = slices.Clone(spans)
		sort.SliceStable(spans, func(i, j int) bool { return spans[i].Start < spans[j].Start })
	}
	w := cutter{text: text}
	w.b.Grow(len(text) + len(text)/8)
	for _, s := range spans {
		start, end := boundary(text, s.Start, false), boundary(text, s.End, true)
		if n := len(w.cuts); n > 0 {
			start = max(start, w.cuts[n-1].End)
		}
		if start < end {
			w.cuts = append(w.cuts, Span{start, end, s.Kind})
		}
	}
	for r := range Runs(text) {
		w.run(r)
	}
	return template.HTML(w.b.String())
}

func byStart(a, b Span) int { return cmp.Compare(a.Start, b.Start) }

// boundary returns the nearest beginning of a character at the offset or, if up, after
// it, else before it.
func boundary(text string, at int, up bool) int {
	at = min(max(at, 0), len(text))
	for first := at; at > 0 && at < len(text) && !utf8.RuneStart(text[at]) && first-at < utf8.UTFMax && at-first < utf8.UTFMax; {
		if up {
			at++
		} else {
			at--
		}
	}
	return at
}

// A cutter writes runs, cut where spans begin and end. The runs are those of the whole
// text, so that a span changes nothing about what is a mark.
type cutter struct {
	b    strings.Builder
	text string
	cuts []Span // not yet over; in order, apart from each other
	at   int    // how much of the text is written
}

// run writes the next run.
func (c *cutter) run(r Run) {
	for stop := c.at + len(r.Text); c.at < stop; {
		start, end := stop, stop
		if len(c.cuts) > 0 {
			start, end = c.cuts[0].Start, c.cuts[0].End
		}
		if c.at == start {
			c.b.WriteString("<" + c.cuts[0].Kind.element() + ">")
		}
		next := min(stop, end)
		if c.at < start {
			next = min(stop, start)
		}
		writeRun(&c.b, Run{c.text[c.at:next], r.Mark})
		if c.at = next; len(c.cuts) > 0 && c.at == end {
			c.b.WriteString("</" + c.cuts[0].Kind.element() + ">")
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
