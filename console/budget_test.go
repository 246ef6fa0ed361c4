package console_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
)

// maxPage is how many bytes a page may have with its stylesheet and its script, on a nearly
// empty database.
const maxPage = 60_000

// noPages are the routes that answer GET with something other than a page of HTML.
var noPages = []string{"GET /static/{name}", "GET /favicon.ico", "GET /events", "GET /a/{agent}/raw/{path...}"}

// views are the queries of routes that show different pages by their query.
var views = map[string][]string{
	"GET /{$}":                       {"?order=name", "?q=none"},
	"GET /a/{agent}":                 {"?after=plan.md"},
	"GET /a/{agent}/changes":         {"?prefix=p"},
	"GET /a/{agent}/files/{path...}": {"?view=source", "?v=1", "?v=1&view=source", "?diff=1..2", "?diff=1..2&as=split", "?view=edit", "?view=move", "?view=delete"},
	"GET /a/{agent}/logs/{path...}":  {"?before=2", "?q=one", "?view=trim"},
	"GET /a/{agent}/search":          {"?q=plan"},
	"GET /search":                    {"?q=plan"},
}

// routes returns the patterns of the routes of the console, as its source has them.
func routes(t *testing.T) (all []string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if pattern, ok := routeOf(n); ok {
				all = append(all, pattern)
			}
			return true
		})
	}
	return all
}

// routeOf returns the pattern of a call of handle, Handle or HandleFunc.
func routeOf(n ast.Node) (pattern string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return "", false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"handle", "Handle", "HandleFunc"}, f.Sel.Name) {
		return "", false
	}
	text, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	pattern, err := strconv.Unquote(text.Value)
	return pattern, err == nil
}

// asset finds the stylesheet and the script of a page.
var asset = regexp.MustCompile(`(?:href|src)="(/static/[^"]+\.(?:css|js))"`)

// Every page is small: whatever route there is, also one that is new.
func TestPageBytes(t *testing.T) {
	svc := newService(t)
	ws, err := svc.Agent("a")
	if err != nil {
		t.Fatal(err)
	}
	write(t, svc, "a", "plan.md", "# Plan\n\nOne step.\n")
	write(t, svc, "a", "plan.md", "# Plan\n\nTwo steps.\n")
	if _, err := ws.AppendLog(t.Context(), "plan.md", []byte("one"), []byte("two")); err != nil {
		t.Fatal(err)
	}
	b := open(t, console.Options{
		Version: "1.2.3", People: people{"ada": everybody(svc)}, Keys: noKeys{},
		Health: func(context.Context) (console.Health, error) {
			return console.Health{Checks: []console.Check{{Name: "database", Status: console.StatusOK, Text: "sound"}}}, nil
		},
	}, "ada")
	seen, largest, where := 0, 0, ""
	for _, pattern := range routes(t) {
		address, found := strings.CutPrefix(pattern, "GET ")
		if !found || slices.Contains(noPages, pattern) {
			continue
		}
		address = strings.NewReplacer("{$}", "", "{agent}", "a", "{path...}", "plan.md").Replace(address)
		if strings.Contains(address, "{") {
			t.Errorf("%s: the test does not know what to put into it", pattern)
		}
		for _, query := range append([]string{""}, views[pattern]...) {
			if n := pageBytes(t, b, address+query); n > largest {
				largest, where = n, address+query
			}
			seen++
		}
	}
	t.Logf("the largest of %d pages is %s with %d bytes", seen, where, largest)
	if seen < 10 {
		t.Error("those are too few pages; the test does not find the routes")
	}
}

// pageBytes returns the bytes of a page with its stylesheet and its script.
func pageBytes(t *testing.T, b *browser, address string) int {
	t.Helper()
	status, page := b.get(address)
	if status != http.StatusOK {
		t.Errorf("%s: status %d, want a page; is it in noPages, or does it need a query?", address, status)
		return 0
	}
	n := len(page)
	assets := asset.FindAllStringSubmatch(page, -1)
	if len(assets) != 2 {
		t.Errorf("%s: %d stylesheets and scripts, want 2", address, len(assets))
	}
	for _, m := range assets {
		_, text := b.get(m[1])
		n += len(text)
	}
	if n > maxPage {
		t.Errorf("%s: %d bytes, want %d at most", address, n, maxPage)
	}
	return n
}

// noKeys has no keys, and makes none.
type noKeys struct{ console.Keys }

func (noKeys) List(context.Context, console.Person, string) (console.KeyList, error) {
	return console.KeyList{}, nil
}
