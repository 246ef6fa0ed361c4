package scratchpad_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// connects matches what a package needs to open a connection to another program.
var connects = regexp.MustCompile(`^(net\.(Dial\w*|Resolver|DefaultResolver|Lookup\w+)` +
	`|http\.(Client|DefaultClient|Transport|DefaultTransport|Get|Head|Post|PostForm)` +
	`|tls\.(Dial\w*|Client)|smtp\.\w+|rpc\.Dial\w*|websocket\.Dial\w*|otlptracehttp\.\w+|pgx\.\w+)$`)

// docs/privacy.md lists every package that can connect to another program.
func TestOutgoingConnectionsAreListed(t *testing.T) {
	text := testkit.ReadFile(t, "docs/privacy.md")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\|.*\\| `([a-z/]+)` \\|$").FindAllStringSubmatch(text, -1) {
		listed = append(listed, row[1])
	}
	slices.Sort(listed)
	var found []string
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "internal/testing/") && opensConnections(t, name, nil) {
			found = append(found, path.Dir(name))
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff(listed, slices.Compact(found)); diff != "" {
		t.Errorf("packages that can open connections (- docs/privacy.md lists, + the source has):\n%s", diff)
	}
}

// opensConnections reports whether a source names what opens connections.
func opensConnections(t *testing.T, name string, source any) (is bool) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	testkit.Must(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				is = is || connects.MatchString(x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return is
}

// The check finds a connection, and nothing in a server that only listens.
func TestOutgoingConnectionsAreFound(t *testing.T) {
	for source, want := range map[string]bool{
		`package a; import "net"; var c, _ = net.Dial("tcp", "example.com:80")`:           true,
		`package a; import "net/http"; func f() { http.Get("http://example.com") }`:       true,
		`package a; import "net/http"; var c = &http.Client{}`:                            true,
		`package a; import "net"; var c, _ = net.LookupHost("example.com")`:               true,
		`package a; import "net"; var l, _ = net.Listen("tcp", "127.0.0.1:0")`:            false,
		`package a; import "net/http"; func f(r *http.Request) { http.NotFound(nil, r) }`: false,
	} {
		if got := opensConnections(t, "a.go", source); got != want {
			t.Errorf("%s: %t, want %t", source, got, want)
		}
	}
}
