package markdown

import (
	"errors"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The limits.
const (
	// MaxInput is the longest text that Render takes, in bytes.
	MaxInput = 1 << 20

	// MaxOutput is the longest result of Render, in bytes, but for the last element.
	MaxOutput = 8 << 20

	maxDepth = 100     // of elements in elements; a browser's parser stops nesting at 512
	maxWork  = 1 << 28 // steps of the parser, about a second
)

var (
	// ErrTooLarge is the error for a text over [MaxInput].
	ErrTooLarge = errors.New("too large to render")

	// ErrTooComplex is the error for a text that would take too long, nest too deep, or
	// grow beyond [MaxOutput].
	ErrTooComplex = errors.New("too complex to render")
)

// Render returns the text as HTML. After an error the caller shows the source.
//
// The function link says where a relative address leads: it gets the address as written, without
// entities and escapes, and returns the path to link to, which begins with one slash, a
// question mark or a number sign. If ok is false, or link is nil, the words of the link
// are shown without one. Render does not ask link about addresses with a scheme or a host, nor
// about a fragment alone, which leads to the heading of that name.
//
// Headings begin at h2, skip no level, and have ids that begin with "md-". No other
// element has an id or a name. The classes are u, md-table, md-center, md-right, md-task, md-image
// and md-nolink.
//
// Errors are [ErrTooLarge] and [ErrTooComplex]. Both depend on the text alone. A text of [MaxInput]
// bytes takes less than a second on common hardware, before either error too. Render is
// safe for concurrent use.
func Render(source []byte, link func(dest string) (href string, ok bool)) (out template.HTML, err error) {
	if len(source) > MaxInput {
		return "", fmt.Errorf("render: %d bytes, limit %d: %w", len(source), MaxInput, ErrTooLarge)
	}
	defer func() {
		// The parser has no other way to stop, and a text that it fails on must not take the
		// page along.
		if p := recover(); p != nil {
			out, err = "", fmt.Errorf("render: %v: %w", p, ErrTooComplex)
		}
	}()
	budget := &budget{left: maxWork}
	budget.spendSquare(strings.Count(string(source), `\|`)) // each is compared with each
	pc := parser.NewContext()
	pc.Set(budgetKey, budget)
	document := parse.Parse(text.NewReader(source), parser.WithContext(pc))
	w := &writer{source: source, link: link, ids: map[string]bool{}}
	w.collect(document)
	w.children(document)
	return template.HTML(w.out.String()), nil
}
