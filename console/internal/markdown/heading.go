package markdown

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// idPrefix begins every id, so that none is one of the page or a name that scripts look
// up in the document.
const idPrefix = "md-"

// maxID is the length of an id without its prefix, in bytes.
const maxID = 100

// A heading is how one is shown.
type heading struct {
	level int
	id    string
}

// collect finds the headings: links may lead to later ones.
func (w *writer) collect(document ast.Node) {
	w.headings = map[*ast.Heading]heading{}
	next := map[string]int{}
	var above []int // the levels in the text of the headings that a heading stands under
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		switch {
		case n.Type() == ast.TypeInline:
			return ast.WalkSkipChildren, nil
		case !ok || !entering || !w.shows(h):
			return ast.WalkContinue, nil
		}
		for len(above) > 0 && above[len(above)-1] >= h.Level {
			above = above[:len(above)-1]
		}
		above = append(above, h.Level)
		name := slug(w.wordsOf(h))
		id := idPrefix + name
		for w.ids[id] {
			next[name]++
			id = idPrefix + name + "-" + strconv.Itoa(next[name])
		}
		w.ids[id] = true
		w.headings[h] = heading{min(1+len(above), 6), id}
		return ast.WalkSkipChildren, nil
	})
}

// heading writes a heading. One without words is no heading.
func (w *writer) heading(n *ast.Heading) {
	h, ok := w.headings[n]
	if !ok {
		w.in("<p>", n, "</p>\n")
		return
	}
	w.in(fmt.Sprintf(`<h%d id="%s">`, h.level, html.EscapeString(h.id)), n, fmt.Sprintf("</h%d>\n", h.level))
}

// slug returns the id of a heading with these words, as GitHub makes it: lower case, a
// hyphen for each space, and no punctuation.
func slug(words string) string {
	var b strings.Builder
	for _, r := range words {
		switch {
		case b.Len() >= maxID:
			return b.String()
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.In(r, unicode.L, unicode.N):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// wordsOf returns the beginning of what a reader sees of a node in lines, without
// markup. It is longer than maxID if there is more.
func (w *writer) wordsOf(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			s := string(n.Value(w.source))
			if !n.IsRaw() && n.Parent().Kind() != ast.KindCodeSpan {
				s = plain(s)
			}
			b.WriteString(s)
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(w.source))
		}
		if b.Len() > 4*maxID {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// shows reports whether a reader sees anything of what is in a node.
func (w *writer) shows(in ast.Node) bool {
	found := false
	_ = ast.Walk(in, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n == in {
			return ast.WalkContinue, nil
		}
		switch n.(type) {
		case *ast.Image, *extast.TaskCheckBox:
			found = true
		case *ast.Text, *ast.String, *ast.AutoLink:
			found = found || entering && strings.TrimSpace(w.wordsOf(n)) != ""
		}
		if found {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return found
}
