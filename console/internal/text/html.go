package text

import (
	"html/template"
	"iter"
	"strings"
	"unicode/utf8"
)

// HTML returns the text for the content of an element, with marks as
//
//	<span class="u">U+200B</span>
//
// The result is at most 30 times as long as the text. Line feeds and tabs stay.
func HTML(text string) template.HTML {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	Write(&b, text)
	return template.HTML(b.String())
}

// Write writes what [HTML] returns.
func Write(b *strings.Builder, text string) {
	writeRuns(b, Runs(text))
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
// character gets all of it. A span changes nothing about what is a mark.
func Marked(text string, at int, spans [][2]int, e Element) template.HTML {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	cuts := []int{0} // where spans begin and end in turns, after the beginning of the text
	for _, s := range spans {
		start, end := max(Floor(text, s[0]-at), cuts[len(cuts)-1]), boundary(text, s[1]-at, 1)
		if start < end {
			cuts = append(cuts, start, end)
		}
	}
	tags := [2]string{"<" + string(e) + ">", "</" + string(e) + ">"}
	next, done := 1, 0
	for r := range Runs(text) {
		for rest := r.Text; rest != ""; {
			n := len(rest)
			if next < len(cuts) {
				n = min(n, cuts[next]-done)
			}
			if n > 0 {
				writeRun(&b, Run{rest[:n], r.Mark})
			}
			rest, done = rest[n:], done+n
			if next < len(cuts) && done == cuts[next] {
				b.WriteString(tags[(next+1)%2])
				next++
			}
		}
	}
	return template.HTML(b.String())
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

func writeRuns(b *strings.Builder, runs iter.Seq[Run]) {
	for r := range runs {
		writeRun(b, r)
	}
}

func writeRun(b *strings.Builder, r Run) {
	if !r.Mark {
		_, _ = escaper.WriteString(b, r.Text) // a Builder does not fail
		return
	}
	b.WriteString(`<span class="u">` + r.Label() + "</span>")
}

// escaper escapes for the content of an element and for an attribute in quotes.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
