package outline

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"strings"
)

const (
	mostBrackets = 500 // nested brackets of Go: go/parser calls itself for each
	longestCode  = 400 // bytes of a line of an outline
)

// A goScanner lists the declarations at the top of a Go file.
type goScanner struct {
	text  string
	file  *token.File
	found outline
}

// scanGo reads a Go file. A file with mistakes has the declarations that go/parser
// finds in spite of them.
func scanGo(text string) outline {
	if nestsTooDeep(text) {
		return scanCode(text)
	}
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", text, parser.SkipObjectResolution|parser.AllErrors|parser.ParseComments)
	if f == nil || f.Name == nil || f.Name.Name == "" {
		return scanCode(text)
	}
	g := goScanner{text: text, file: set.File(f.FileStart), found: outline{kind: "Go"}}
	g.found.notes = []string{strings.TrimSuffix("package "+f.Name.Name+" — "+synopsis(f.Doc), " — ")}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				g.spec(d, spec)
			}
		}
	}
	return g.found
}

// nestsTooDeep counts brackets in comments and strings too.
func nestsTooDeep(text string) bool {
	open, most := 0, 0
	for _, c := range []byte(text) {
		if strings.IndexByte("([{", c) >= 0 {
			open++
			most = max(most, open)
		} else if strings.IndexByte(")]}", c) >= 0 {
			open--
		}
	}
	return most > mostBrackets
}

// synopsis returns the first sentence of a comment.
func synopsis(comment *ast.CommentGroup) string {
	return new(doc.Package).Synopsis(headOf(comment.Text(), 4000))
}

// function lists a function.
func (g *goScanner) function(d *ast.FuncDecl) {
	end := d.End()
	if d.Body != nil {
		end = d.Body.Lbrace
	}
	g.add(0, "", d.Pos(), end, d.Name, d.Doc)
}

// spec lists a type, constant or variable. Constants and variables of a group come
// after the others.
func (g *goScanner) spec(d *ast.GenDecl, spec ast.Spec) {
	var name *ast.Ident
	var comment *ast.CommentGroup
	rank, from, prefix := int16(0), d.Pos(), ""
	if d.Lparen.IsValid() {
		from, prefix = spec.Pos(), d.Tok.String()+" "
	}
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		name, comment = spec.Name, spec.Doc
	case *ast.ValueSpec:
		name, comment = spec.Names[0], spec.Doc
		if prefix != "" {
			rank = 2
		}
	}
	switch {
	case name == nil || name.Name == "_":
		return
	case prefix == "":
		comment = d.Doc
	}
	line, _, _ := strings.Cut(g.text[g.file.Offset(from):], "\n")
	g.add(rank, prefix, from, min(from+token.Pos(len(line)), spec.End()), name, comment)
}

// add lists a declaration. Exported names outrank the others.
func (g *goScanner) add(rank int16, prefix string, from, end token.Pos, name *ast.Ident, comment *ast.CommentGroup) {
	if !name.IsExported() {
		rank++
	}
	at := g.file.Offset(from)
	text := prefix + headOf(g.text[at:max(at, g.file.Offset(end))], longestCode)
	g.found.items = append(g.found.items, item{
		line: int32(g.file.PositionFor(from, false).Line), rank: rank, text: strings.TrimRight(text, " \t\r\n{=,;:("),
		brief: int32(len(prefix) + g.file.Offset(name.End()) - at), more: synopsis(comment),
	})
}
