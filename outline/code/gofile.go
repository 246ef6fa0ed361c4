package code

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// mostNested is how deep brackets of Go may nest. go/parser calls itself for each,
// and has a limit of its own for what nests without brackets.
const mostNested = 500

// A goReader notes the declarations that go/parser has found.
type goReader struct {
	*reader
	set  *token.FileSet
	base int // where in the text its beginning would be that go/parser reads
}

// readGo reads the declarations at the top of a Go file. Of a file with mistakes
// each declaration that begins a line is read on its own.
func readGo(r *reader) {
	if deepestBracket(r.code) > mostNested {
		readHeaders(r)
		return
	}
	g := goReader{reader: r}
	if g.parse(0, len(r.in), "") == nil {
		return
	}
	r.defs = nil
	from, clause := 0, ""
	for l := range excerpt.Lines(r.code) {
		if listed("func type var const", excerpt.Word(l.Text, 0)) {
			g.parse(from, l.At, clause)
			from, clause = l.At, "package p;"
		}
	}
	g.parse(from, len(r.in), clause)
}

// parse notes what is declared in a part of the text, before which a clause stands.
func (g *goReader) parse(from, end int, clause string) error {
	g.set, g.base = token.NewFileSet(), from-len(clause)
	f, err := parser.ParseFile(g.set, "", clause+g.in[from:end], parser.SkipObjectResolution|parser.AllErrors)
	if f == nil {
		return err
	}
	if clause == "" && f.Name != nil && f.Name.Name != "" {
		g.introduce(f)
	}
	g.declarations(f.Decls)
	return err
}

// deepestBracket returns how deep the brackets of some code nest.
func deepestBracket(code string) int {
	open, most := 0, 0
	for _, c := range []byte(code) {
		switch c {
		case '(', '[', '{':
			open++
			most = max(most, open)
		case ')', ']', '}':
			open--
		}
	}
	return most
}

// introduce notes the package and its comment.
func (g *goReader) introduce(f *ast.File) {
	g.about = "package " + f.Name.Name
	if s := excerpt.FirstSentence(g.above(g.offset(f.Package)), longestSentence); s != "" {
		g.about += " — " + s
	}
}

func (g *goReader) declarations(list []ast.Decl) {
	for _, d := range list {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				g.spec(d, spec)
			}
		}
	}
}

func (g *goReader) offset(pos token.Pos) int {
	return max(0, min(g.base+g.set.PositionFor(pos, false).Offset, len(g.in)))
}

// function notes a function. Exported names outrank the others.
func (g *goReader) function(d *ast.FuncDecl) {
	at := g.offset(d.Pos())
	p := place{at, at, g.offset(d.Name.End()), g.offset(d.End())}
	if d.Body != nil {
		p.end = g.offset(d.Body.Lbrace)
	}
	rank := 1
	if d.Name.IsExported() {
		rank = 0
	}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		receiver := strings.TrimLeft(g.in[g.offset(d.Recv.List[0].Type.Pos()):], "(* ")
		if !ast.IsExported(excerpt.Word(receiver, 0)) {
			rank = 1
		}
	}
	g.add(p, rank, 0)
}

// spec notes a type, constant or variable. Constants and variables of a group come
// after the others.
func (g *goReader) spec(d *ast.GenDecl, spec ast.Spec) {
	var name *ast.Ident
	rank, grouped := 0, d.Lparen.IsValid()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		name = spec.Name
	case *ast.ValueSpec:
		name = spec.Names[0]
		if grouped {
			rank = 2
		}
	}
	if name == nil || name.Name == "_" {
		return
	}
	if !name.IsExported() {
		rank++
	}
	at := g.offset(spec.Pos())
	p := place{from: at, at: at, name: g.offset(name.End()), end: g.offset(spec.End())}
	p.end = p.at + excerpt.Until(g.in[p.at:max(p.at, p.end)], "\n")
	if !grouped {
		p.at = g.offset(d.Pos())
		p.from = p.at
	}
	it := g.add(p, rank, 0)
	if word := d.Tok.String() + " "; grouped {
		it.Text = word + it.Text
		if it.Brief > 0 {
			it.Brief += len(word)
		}
	}
}
