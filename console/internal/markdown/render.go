package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	unseen "github.com/agent-scratchpad/scratchpad/console/internal/text"
	lines "github.com/agent-scratchpad/scratchpad/internal/markdown"
)

// The limits.
const (
	// MaxInput is the longest text that Render takes, in bytes.
	MaxInput = 128 << 10

	// maxAddresses is how long all addresses and titles may be together, in bytes: a
	// reference may be used often.
	maxAddresses = 2 << 20

	maxDepth = 100     // of elements in elements; a browser's parser stops nesting at 512
	maxWork  = 1 << 28 // steps of the parser, less than a second
)

var (
	// ErrTooLarge is the error for a text over [MaxInput].
	ErrTooLarge = errors.New("too long to be rendered")

	// ErrTooComplex is the error for a text that would take too long, nest too deep, or
	// grow too long.
	ErrTooComplex = errors.New("too complex to render")
)

// engine is safe for concurrent use: what belongs to one text is in its context. It has
// no parser of HTML, in blocks or in lines, so HTML is shown as it stands.
var engine = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), 900)...),
		parser.WithInlineParsers(append(without(parser.DefaultInlineParsers(), 400), util.Prioritized(meter{}, -1))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(meter{}, -1))...),
		parser.WithASTTransformers(util.Prioritized(transformer{}, 1000)),
	)),
	goldmark.WithRendererOptions(html.WithWriter(writer{})),
	goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.NewFootnote(extension.WithFootnoteIDPrefix(idPrefix))),
)

// without returns the parsers but for the one of a priority: that of HTML.
func without(parsers []util.PrioritizedValue, priority int) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool { return p.Priority == priority })
}

// Render returns the text as HTML. After an error the caller shows the source.
//
// The function link says where a relative address leads: it gets the address as written, without
// entities and escapes, and returns the path to link to, which begins with one slash, a
// question mark or a number sign. If ok is false, or link is nil, the words of the link
// are shown without one. Render does not ask link about addresses with a scheme or a host, nor
// about a fragment alone, which leads to the heading of that name.
//
// A byte order mark and the front matter stand before the rest, as they are.
//
// Headings begin at h2, and skip no level. Headings, footnotes and the references to footnotes
// have ids that begin with "md-". No other element has an id or a name. The classes are u,
// md-scroll, md-task, md-image, md-nolink, md-meta, footnotes, footnote-ref and footnote-backref.
//
// Errors are [ErrTooLarge] and [ErrTooComplex]. Both depend on the text alone. A text of [MaxInput]
// bytes takes less than a second on common hardware, before either error too. Render is
// safe for concurrent use.
func Render(source []byte, link func(dest string) (href string, ok bool)) (out template.HTML, err error) {
	if len(source) > MaxInput {
		return "", ErrTooLarge
	}
	defer func() {
		// The parser has no other way to stop, and a text that it fails on must not take the
		// page along.
		if p := recover(); p != nil {
			out, err = "", fmt.Errorf("render: %v: %w", p, ErrTooComplex)
		}
	}()
	body, hasMark := bytes.CutPrefix(source, []byte("\uFEFF"))
	meta := frontMatter(body)
	body = body[len(meta):]
	var b bytes.Buffer
	if hasMark {
		b.WriteString(`<p class="md-meta">Byte order mark ` + string(unseen.HTML("\uFEFF")) + "</p>\n")
	}
	if len(meta) > 0 {
		b.WriteString(`<p class="md-meta">Front matter</p><div class="md-scroll" role="group" ` +
			`aria-label="Front matter" tabindex="0"><pre><code>` + string(unseen.HTML(string(meta))) + "</code></pre></div>\n")
	}
	work := &budget{left: maxWork, notes: bytes.Count(body, []byte("]:"))}
	pc := parser.NewContext()
	pc.Set(budgetKey, work)
	pc.Set(pageKey, &page{source: body, link: link, ids: map[string]bool{}})
	document := engine.Parser().Parse(meteredReader{text.NewReader(body), work}, parser.WithContext(pc))
	err = engine.Renderer().Render(&b, body, document)
	return template.HTML(b.String()), err
}

// frontMatter returns the front matter that a text begins with.
func frontMatter(text []byte) []byte {
	var r lines.Reader
	n := 0
	for n < len(text) {
		l := r.Next(text[n:])
		if l.Kind != lines.Meta {
			break
		}
		n += l.Size
	}
	return text[:n]
}
