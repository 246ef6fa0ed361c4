package markdown

import (
	"bufio"
	"bytes"
	"fmt"
	stdhtml "html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
)

var pageKey = parser.NewContextKey()

// A page is what belongs to the tree of one text.
type page struct {
	source    []byte
	link      func(dest string) (href string, ok bool)
	ids       map[string]bool // of headings
	addresses int             // bytes of addresses and titles
	scrolls   int             // tables and blocks of code
}

// A transformer makes a tree fit for a page of the console: it gives headings their
// ids, checks links, shows images as words, and lets what is wide be scrolled.
type transformer struct{}

func (transformer) Transform(document *ast.Document, _ source.Reader, pc parser.Context) {
	p := pc.Get(pageKey).(*page)
	var headings []*ast.Heading
	var others []ast.Node
	depth := 0
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > maxDepth {
			panic(fmt.Sprintf("it nests more than %d deep", maxDepth))
		}
		if h, ok := n.(*ast.Heading); ok {
			headings = append(headings, h)
		} else {
			others = append(others, n)
		}
		return ast.WalkContinue, nil
	})
	p.nameHeadings(headings) // links may lead to later ones
	for _, n := range others {
		p.change(n)
	}
}

func (p *page) change(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		p.changeLink(n)
	case *ast.AutoLink:
		p.changeAutoLink(n)
	case *ast.Image:
		p.changeImage(n)
	case *ast.CodeBlock:
		p.scroll(n, "Code")
	case *ast.FencedCodeBlock:
		n.Info = nil // no class has words of the text
		p.scroll(n, "Code")
	case *extast.Table:
		p.scroll(n, "Table")
	case *extast.FootnoteLink:
		if inLink(n) {
			replace(n, literal(fmt.Sprintf("[%d]", n.Index)))
		}
	case *extast.TaskCheckBox:
		sign, label := "☐", "to do"
		if n.IsChecked {
			sign, label = "☑", "done"
		}
		replace(n, markup(`<span class="md-task" role="img" aria-label="`+label+`">`+sign+`</span> `))
	}
}

// scroll puts an element around a wide one that can be scrolled by keyboard, which has
// a name of its own.
func (p *page) scroll(n ast.Node, name string) {
	p.scrolls++
	open := fmt.Sprintf("<div class=\"md-scroll\" role=\"group\" aria-label=\"%s %d\" tabindex=\"0\">", name, p.scrolls)
	n.Parent().InsertBefore(n.Parent(), n, markup(open))
	n.Parent().InsertAfter(n.Parent(), n, markup("</div>\n"))
}

// markup returns a node that is written as it stands. It may have nothing of the text
// that is not escaped.
func markup(s string) ast.Node {
	n := ast.NewString([]byte(s))
	n.SetCode(true)
	return n
}

// literal returns a node whose characters mean themselves.
func literal(s string) ast.Node {
	n := ast.NewString([]byte(s))
	n.SetRaw(true)
	return n
}

// replace puts nodes in place of a node.
func replace(n ast.Node, with ...ast.Node) {
	for _, w := range with {
		n.Parent().InsertBefore(n.Parent(), n, w)
	}
	n.Parent().RemoveChild(n.Parent(), n)
}

// children returns the nodes in a node.
func children(n ast.Node) (list []ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		list = append(list, c)
	}
	return list
}

// wordsOf returns what a reader sees of a node in lines, without markup.
func (p *page) wordsOf(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.WriteString(plain(n.Value(p.source)))
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(p.source))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// plain returns the characters that a part of a text stands for: a backslash before
// punctuation is left out, and an entity becomes its character.
func plain(source []byte) string {
	if !bytes.ContainsAny(source, "\\&\x00") {
		return string(source)
	}
	var b bytes.Buffer
	w := bufio.NewWriterSize(&b, 256)
	html.DefaultWriter.Write(w, source)
	_ = w.Flush() // a Buffer does not fail
	return stdhtml.UnescapeString(b.String())
}

// A writer writes characters that are no markup any more. Those that do not show are
// marked.
type writer struct{}

func (writer) Write(w util.BufWriter, source []byte) {
	_, _ = w.WriteString(string(text.HTML(plain(source))))
}

func (writer) RawWrite(w util.BufWriter, source []byte) {
	_, _ = w.WriteString(string(text.HTML(strings.ReplaceAll(string(source), "\r\n", "\n"))))
}

func (w writer) SecureWrite(out util.BufWriter, source []byte) { w.RawWrite(out, source) }
