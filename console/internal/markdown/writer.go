package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/agent-scratchpad/scratchpad/console/internal/visible"
)

// A writer writes the nodes of one document.
type writer struct {
	source []byte
	link   func(dest string) (href string, ok bool)
	out    strings.Builder

	depth    int
	inLink   bool                     // links do not nest
	headings map[*ast.Heading]heading // by collect
	ids      map[string]bool          // of headings
	tables   int
}

// children writes the nodes in a node.
func (w *writer) children(n ast.Node) {
	if w.depth++; w.depth > maxDepth {
		panic(fmt.Sprintf("it nests more than %d deep", maxDepth))
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if w.node(c); w.out.Len() > MaxOutput {
			panic(fmt.Sprintf("the result has more than %d bytes", MaxOutput))
		}
	}
	w.depth--
}

// in writes the nodes in a node inside of an element. Both tags are constants of this
// package, but for numbers.
func (w *writer) in(open string, n ast.Node, end string) {
	w.out.WriteString(open)
	w.children(n)
	w.out.WriteString(end)
}

// text writes characters that are no markup any more.
func (w *writer) text(s string) { w.out.WriteString(string(visible.HTML(s))) }

// node writes a node of a kind that it knows. Of others it writes the nodes inside.
func (w *writer) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text, *ast.String, *ast.CodeSpan, *ast.Emphasis, *ast.Link, *ast.Image, *ast.AutoLink, *extast.Strikethrough, *extast.TaskCheckBox:
		w.inline(n)
	case *ast.Paragraph:
		w.in("<p>", n, "</p>\n")
	case *ast.TextBlock:
		w.in("", n, "\n")
	case *ast.Heading:
		w.heading(n)
	case *ast.ThematicBreak:
		w.out.WriteString("<hr>\n")
	case *ast.Blockquote:
		w.in("<blockquote>\n", n, "</blockquote>\n")
	case *ast.List:
		w.list(n)
	case *ast.ListItem:
		w.in("<li>", n, "</li>\n")
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.code(n)
	case *ast.LinkReferenceDefinition:
	case *extast.Table:
		w.table(n)
	default:
		w.children(n)
	}
}

func (w *writer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.words(n)
	case *ast.String:
		w.text(string(n.Value))
	case *ast.CodeSpan:
		w.out.WriteString("<code>")
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				w.text(lineAsSpace(string(t.Value(w.source))))
			}
		}
		w.out.WriteString("</code>")
	case *ast.Emphasis:
		if n.Level == 2 {
			w.in("<strong>", n, "</strong>")
			return
		}
		w.in("<em>", n, "</em>")
	case *extast.Strikethrough:
		w.in("<del>", n, "</del>")
	case *extast.TaskCheckBox:
		sign, label := "☐", "to do"
		if n.IsChecked {
			sign, label = "☑", "done"
		}
		w.out.WriteString(`<span class="md-task" role="img" aria-label="` + label + `">` + sign + `</span> `)
	case *ast.Link:
		w.anchor(plain(string(n.Destination)), plain(string(n.Title)), n)
	case *ast.AutoLink:
		w.autoLink(n)
	case *ast.Image:
		w.image(n)
	}
}

func (w *writer) words(n *ast.Text) {
	s := string(n.Value(w.source))
	if !n.IsRaw() {
		s = plain(s)
	}
	w.text(s)
	switch {
	case n.HardLineBreak():
		w.out.WriteString("<br>\n")
	case n.SoftLineBreak():
		w.out.WriteString("\n")
	}
}

// lineAsSpace returns a part of a code span, which is shown on one line.
func lineAsSpace(s string) string {
	if line, ok := strings.CutSuffix(s, "\n"); ok {
		return strings.TrimSuffix(line, "\r") + " "
	}
	return s
}

func (w *writer) list(n *ast.List) {
	switch {
	case !n.IsOrdered():
		w.in("<ul>\n", n, "</ul>\n")
	case n.Start == 1:
		w.in("<ol>\n", n, "</ol>\n")
	default:
		w.in(fmt.Sprintf("<ol start=\"%d\">\n", n.Start), n, "</ol>\n")
	}
}

// code writes a block of code. It can be scrolled by keyboard.
func (w *writer) code(n ast.Node) {
	w.out.WriteString(`<pre tabindex="0"><code>`)
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		b.Write(line.Value(w.source))
	}
	w.text(strings.ReplaceAll(b.String(), "\r\n", "\n"))
	w.out.WriteString("</code></pre>\n")
}

// table writes a table. It can be scrolled by keyboard, and the parts that scroll have
// names of their own.
func (w *writer) table(n *extast.Table) {
	w.tables++
	fmt.Fprintf(&w.out, "<div class=\"md-table\" role=\"group\" aria-label=\"Table %d\" tabindex=\"0\"><table>\n", w.tables)
	body := false
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		switch row.(type) {
		case *extast.TableHeader:
			w.out.WriteString("<thead><tr>\n")
			w.cells(row, "th")
			w.out.WriteString("</tr></thead>\n")
		case *extast.TableRow:
			if !body {
				w.out.WriteString("<tbody>\n")
				body = true
			}
			w.out.WriteString("<tr>\n")
			w.cells(row, "td")
			w.out.WriteString("</tr>\n")
		}
	}
	if body {
		w.out.WriteString("</tbody>\n")
	}
	w.out.WriteString("</table></div>\n")
}

func (w *writer) cells(row ast.Node, element string) {
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		cell, ok := c.(*extast.TableCell)
		if !ok {
			continue
		}
		name := element
		if cell.FirstChild() == nil {
			name = "td" // an empty cell heads no column
		}
		class := ""
		switch cell.Alignment {
		case extast.AlignCenter:
			class = ` class="md-center"`
		case extast.AlignRight:
			class = ` class="md-right"`
		}
		w.in("<"+name+class+">", cell, "</"+name+">\n")
	}
}
