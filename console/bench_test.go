package console_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The pages of the largest memory that people look at: 10,000 agents, of which one has 1,000
// files, a file of 1 MiB, and a log of 10,000 entries.
var benchPages = []struct{ name, address string }{
	{"agents", "/"},
	{"agents-by-name", "/?order=name"},
	{"agents-by-size", "/?order=size"},
	{"agents-found", "/?q=9-09"},
	{"agent-of-1000-files", "/a/large"},
	{"changes", "/a/large/changes"},
	{"file-of-1MiB", "/a/large/files/long.txt"},
	{"last-lines-of-1MiB", "/a/large/files/long.txt?from=14000"},
	{"one-line-of-1MiB", "/a/large/files/line.txt"},
	{"markdown", "/a/large/files/plan.md"},
	{"raw-1MiB", "/a/large/raw/long.txt"},
	{"diff-of-1MiB", "/a/large/files/long.txt?diff=1..2"},
}

// BenchmarkPages is the time that the server takes for a page.
//
//	go test ./console -run '^$' -bench Pages
func BenchmarkPages(b *testing.B) {
	for name, open := range map[string]func(testing.TB) (workspace.Store, error){
		"sqlite": func(t testing.TB) (workspace.Store, error) {
			return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
		},
		"postgres": func(t testing.TB) (workspace.Store, error) {
			return postgres.Open(t.Context(), pgtest.NewCluster(t, pgtest.ClusterOptions{}).URL(), postgres.Options{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			store, err := open(b)
			if err != nil {
				b.Fatal(err)
			}
			svc, err := workspace.New(store, workspace.Options{Limits: workspace.Limits{Files: 2000}, Store: workspace.StoreLimits{Agents: -1}})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = svc.Close(b.Context()); _ = store.Close() })
			fillBench(b, svc)
			pages, err := console.New(console.Options{People: people{"": everybody(svc)}})
			if err != nil {
				b.Fatal(err)
			}
			for _, p := range benchPages {
				b.Run(p.name, func(b *testing.B) { benchPage(b, pages, p.address) })
			}
		})
	}
}

func benchPage(b *testing.B, pages http.Handler, address string) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if w.Code != http.StatusOK {
			b.Fatalf("%s: %d\n%s", address, w.Code, w.Body)
		}
		n = w.Body.Len()
	}
	b.ReportMetric(float64(n), "bytes/page")
}

func fillBench(b *testing.B, svc *workspace.Service) {
	var work sync.WaitGroup
	next := make(chan func() error)
	for range 64 { // they share the syncs of the store
		work.Go(func() {
			for do := range next {
				if err := do(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	file := func(agent, path string, text []byte) {
		next <- func() error {
			ws, err := svc.Agent(agent)
			if err == nil {
				_, err = ws.As(workspace.Author{Client: "claude-code", Version: "2.1"}).WriteFile(b.Context(), path, text, workspace.WriteOptions{})
			}
			return err
		}
	}
	for i := range 10_000 {
		file(fmt.Sprintf("team-%d-agent-%05d", i%10, i), "notes.md", []byte(strings.Repeat("note\n", i%300)))
	}
	for i := range 995 {
		file("large", fmt.Sprintf("folder-%02d/part-%d/file-%04d.md", i%40, i%3, i), []byte("# A file\n"))
	}
	file("large", "plan.md", []byte(strings.Repeat("# Plan\n\nSome *text* with a [link](other.md) and `code`.\n\n- one\n- two\n\n", 200)))
	file("large", "line.txt", bytes.Repeat([]byte("x"), 1<<20))
	close(next)
	work.Wait()
	ws, err := svc.Agent("large")
	if err != nil {
		b.Fatal(err)
	}
	for changed := range 2 {
		if _, err := ws.WriteFile(b.Context(), "long.txt", longText(changed), workspace.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	entries := make([][]byte, 100)
	for i := range 100 {
		for k := range entries {
			entries[k] = fmt.Appendf(nil, "step %d: looked at the issue, ran the tests, and wrote down what there was to say about it", i*100+k)
		}
		if _, err := ws.AppendLog(b.Context(), "journal", entries...); err != nil {
			b.Fatal(err)
		}
	}
}

// longText returns 1 MiB of lines. In the changed text, every tenth line has another word.
func longText(changed int) []byte {
	var text []byte
	for i := 0; len(text) < 1<<20-100; i++ {
		word := "fox"
		if i%10 == 9 && changed != 0 {
			word = "cat"
		}
		text = fmt.Appendf(text, "%d: the quick brown %s jumps over the lazy dog and runs away\n", i, word)
	}
	return text
}
