package sqlite_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A known item is a text that is to be found, and queries whose answer it is.
type knownItem struct {
	path, title, body string
	queries           map[string]string // by how they were made
}

// The documentation of the Go distribution is found by the titles and first sentences of
// its sections as well as SQLite's FTS5 finds it with BM25. A hundredth is no difference: one
// query in fifty that has its answer in the second place. Without SCRATCHPAD_TEST=full there
// are fewer queries, which tell a difference of a fiftieth.
func TestSearchFindsKnownItems(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	items := goDocumentation(t)
	ours, theirs := newSearched(t, items), newFTS5(t, items)
	r := rand.New(rand.NewPCG(1, 2))
	most, share := testkit.Pick(200, 200, 600), testkit.Pick(50., 50., 100.)
	for _, kind := range []string{"title", "sentence"} {
		var our, and, or float64
		n := 0
		for _, i := range r.Perm(len(items)) {
			query := items[i].queries[kind]
			if n == most || query == "" {
				continue
			}
			n++
			our += ours.reciprocal(t, query, i)
			and += theirs.reciprocal(t, query, " AND ", i)
			or += theirs.reciprocal(t, query, " OR ", i)
		}
		all := float64(n)
		t.Logf("%s: %d queries over %d sections: mean reciprocal rank %.3f, FTS5 %.3f with AND, %.3f with OR", kind, n, len(items), our/all, and/all, or/all)
		if n < most || our < max(and, or)-all/share {
			t.Errorf("%s: mean reciprocal rank %.3f of %d queries, want that of FTS5, %.3f", kind, our/all, n, max(and, or)/all)
		}
	}
}

// A searched is a workspace that holds items, each as a section of the file at its path.
type searched struct {
	ws    *workspace.Workspace
	lines map[string][]int // of each file: where its items begin
	items map[string][]int // and which those are
}

func newSearched(t testing.TB, items []knownItem) searched {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	s := searched{ws, map[string][]int{}, map[string][]int{}}
	texts := map[string]*bytes.Buffer{}
	for i, item := range items {
		b := texts[item.path]
		if b == nil {
			b = new(bytes.Buffer)
			texts[item.path] = b
		}
		s.lines[item.path] = append(s.lines[item.path], bytes.Count(b.Bytes(), []byte("\n"))+1)
		s.items[item.path] = append(s.items[item.path], i)
		fmt.Fprintf(b, "## %s\n\n%s\n\n", item.title, item.body)
	}
	for path, b := range texts {
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, b.Bytes(), workspace.WriteOptions{})))
	}
	return s
}

// reciprocal returns 1 divided by the rank of an item among the first ten hits; 0: it is
// not among them.
func (s searched) reciprocal(t testing.TB, query string, want int) float64 {
	t.Helper()
	r, err := s.ws.Search(t.Context(), query, workspace.SearchOptions{MaxTokens: -1})
	if err != nil {
		t.Fatalf("Search(%q): %v", query, err)
	}
	for rank, h := range r.Hits {
		i, found := slices.BinarySearch(s.lines[h.Path], h.Line)
		if !found {
			i--
		}
		if i >= 0 && s.items[h.Path][i] == want {
			return 1 / float64(rank+1)
		}
	}
	return 0
}

// An fts5 is a table with a row for each item.
type fts5 struct{ db *sql.DB }

func newFTS5(t testing.TB, items []knownItem) fts5 {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "fts"))
	testkit.Must(t, err)
	t.Cleanup(func() { db.Close() })
	tx, err := db.Begin()
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(tx.Exec("CREATE VIRTUAL TABLE items USING fts5(path, title, body)")))
	for i, item := range items {
		testkit.Must(t, testkit.Err(tx.Exec("INSERT INTO items(rowid, path, title, body) VALUES (?, ?, ?, ?)", i+1, item.path, item.title, item.body)))
	}
	testkit.Must(t, tx.Commit())
	return fts5{db}
}

func (f fts5) reciprocal(t testing.TB, query, join string, want int) float64 {
	t.Helper()
	var words []string
	for _, w := range strings.Fields(query) {
		words = append(words, `"`+strings.ReplaceAll(w, `"`, `""`)+`"`)
	}
	rows, err := f.db.Query("SELECT rowid FROM items WHERE items MATCH ? ORDER BY bm25(items) LIMIT 10", strings.Join(words, join))
	testkit.Must(t, err)
	defer rows.Close()
	for rank := 1; rows.Next(); rank++ {
		var id int
		testkit.Must(t, rows.Scan(&id))
		if id-1 == want {
			return 1 / float64(rank)
		}
	}
	testkit.Must(t, rows.Err())
	return 0
}

// goDocumentation returns what the Go distribution documents of some packages.
func goDocumentation(t testing.TB) (items []knownItem) {
	root := filepath.Join(testkit.GoRoot(t), "src")
	linux := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc"}
	for _, pkg := range strings.Fields("archive/tar archive/zip bufio bytes context crypto/tls database/sql encoding/json encoding/xml errors flag fmt go/ast html/template io io/fs log log/slog math/big mime/multipart net net/http net/netip net/url os os/exec path/filepath reflect regexp runtime sort strconv strings sync syscall/js testing text/template time unicode/utf8") {
		set := token.NewFileSet()
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		testkit.Must(t, err)
		var parsed []*ast.File
		for _, name := range files {
			if fits, _ := linux.MatchFile(filepath.Split(name)); !fits || strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			testkit.Must(t, err)
			parsed = append(parsed, f)
		}
		p, err := doc.NewFromFiles(set, parsed, pkg)
		testkit.Must(t, err)
		add := func(title, text string) {
			first := p.Synopsis(text)
			if utf8.RuneCountInString(text) < 60 || len(first) > 300 {
				return
			}
			body := strings.ReplaceAll(text, "\n#", "\n ")
			items = append(items, knownItem{pkg + ".md", title, body, map[string]string{"title": plainQuery(pkg + " " + title), "sentence": plainQuery(first)}})
		}
		for _, f := range p.Funcs {
			add("func "+f.Name, f.Doc)
		}
		for _, typ := range p.Types {
			add("type "+typ.Name, typ.Doc)
			for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
				add("func "+typ.Name+" "+f.Name, f.Doc)
			}
		}
	}
	return items
}

// plainQuery returns the words of a text without what has a meaning in a query.
func plainQuery(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}

// BenchmarkSearch searches 1, 10 and, with the long proofs, 100 MB in 1 and in 8 calls at
// once, beside a plain scan of the same bytes with bytes.Contains.
func BenchmarkSearch(b *testing.B) {
	sizes := []int{1, 10}
	if testkit.Long() {
		sizes = append(sizes, 100)
	}
	for _, megabytes := range sizes {
		texts := searchTexts(megabytes << 20)
		b.Run(fmt.Sprintf("%dMB/contains", megabytes), func(b *testing.B) {
			b.SetBytes(int64(megabytes) << 20)
			for b.Loop() {
				for _, t := range texts {
					if bytes.Contains(t, []byte("xylophone zebra")) {
						b.Fatal("found")
					}
				}
			}
		})
		for _, backend := range []string{"memstore", "sqlite"} {
			ws := searchWorkspace(b, backend, texts)
			for _, query := range []string{"xylophone zebra", "quarterly refund", "with the", `"the refund"`, "refunding shops policies", "2023-05-08"} {
				for _, at := range []int{1, 8} {
					b.Run(fmt.Sprintf("%dMB/%s/%s/%d", megabytes, backend, strings.ReplaceAll(query, " ", "_"), at), func(b *testing.B) {
						b.SetBytes(int64(at*megabytes) << 20)
						for b.Loop() {
							searchAtOnce(b, ws, query, at)
						}
					})
				}
			}
		}
	}
}

// BenchmarkSearchHistory searches 10 MB, one tenth of which are current versions.
func BenchmarkSearchHistory(b *testing.B) {
	for name, texts := range map[string][][]byte{"other lines": searchTexts(10 << 20), "same lines": slices.Repeat(searchTexts(1<<20), 10)} {
		for _, backend := range []string{"memstore", "sqlite"} {
			ws := searchWorkspace(b, backend, nil)
			for i, text := range texts {
				testkit.Must(b, testkit.Err(ws.WriteFile(b.Context(), fmt.Sprintf("notes/%05d.txt", i%21), text, workspace.WriteOptions{})))
			}
			for _, query := range []string{"xylophone zebra", "quarterly refund", "with the"} {
				b.Run(fmt.Sprintf("%s/%s/%s", strings.ReplaceAll(name, " ", "_"), backend, strings.ReplaceAll(query, " ", "_")), func(b *testing.B) {
					b.SetBytes(10 << 20)
					for b.Loop() {
						if _, err := ws.Search(b.Context(), query, workspace.SearchOptions{History: true}); err != nil {
							b.Error(err)
						}
					}
				})
			}
		}
	}
}

func searchAtOnce(b *testing.B, ws *workspace.Workspace, query string, at int) {
	var group sync.WaitGroup
	for range at {
		group.Go(func() {
			if _, err := ws.Search(b.Context(), query, workspace.SearchOptions{}); err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
}

// searchTexts returns texts of about 50 KB, in which few words are common and many rare.
func searchTexts(total int) (texts [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	common := strings.Fields("the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all")
	zipf := rand.NewZipf(r, 1.2, 3, 20_000)
	for total > 0 {
		var b bytes.Buffer
		for line := 0; b.Len() < 50<<10; line++ {
			for range 12 {
				if r.IntN(2) == 0 {
					b.WriteString(common[r.IntN(len(common))])
				} else if n := zipf.Uint64(); n == 300 {
					b.WriteString("refund")
				} else {
					fmt.Fprintf(&b, "%s%s", []string{"bo", "ca", "du", "fe", "gi", "lo"}[n%6], []string{"tar", "mend", "lish", "ving", "cor", "nex", "pra"}[n/6%7])
					if n > 42 {
						fmt.Fprintf(&b, "%x", n)
					}
				}
				b.WriteByte(' ')
			}
			b.WriteByte('\n')
			if line%7 == 6 {
				b.WriteByte('\n')
			}
		}
		texts = append(texts, b.Bytes())
		total -= b.Len()
	}
	return texts
}

func searchWorkspace(b *testing.B, backend string, texts [][]byte) *workspace.Workspace {
	var db store.Store = memstore.New()
	if backend == "sqlite" {
		db = open(b, filepath.Join(b.TempDir(), "db"))
	}
	svc, err := workspace.New(db, workspace.Options{Limits: workspace.Limits{Bytes: 1 << 30, Files: 10_000}})
	testkit.Must(b, err)
	ws, err := svc.Agent("a")
	testkit.Must(b, err)
	for i, t := range texts {
		testkit.Must(b, testkit.Err(ws.WriteFile(b.Context(), fmt.Sprintf("notes/%05d.txt", i), t, workspace.WriteOptions{})))
	}
	return ws
}
