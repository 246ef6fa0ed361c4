package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A page of a comparison, from the middle. Of 20,000 changed lines a page has 1,000 rows.
func BenchmarkCompare(b *testing.B) {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = svc.Close(context.Background()) }()
	ws, err := svc.Agent("a")
	if err != nil {
		b.Fatal(err)
	}
	lines := func(n int, word string) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "item %d has a price of %d %s and a name\n", i, i*7%1000, word)
		}
		return s.String()
	}
	texts := map[string][2]string{
		"20000-changed": {lines(20000, "cents"), lines(20000, "pence")},
		"20000-equal":   {lines(20000, "cents"), lines(20000, "cents") + "end\n"},
		"10-changed":    {lines(10, "cents"), lines(10, "pence")},
		"1MiB-line":     {strings.Repeat("word, ", 87000) + "a" + strings.Repeat("word, ", 87000), strings.Repeat("word, ", 87000) + "b" + strings.Repeat("word, ", 87000)},
		"1MiB-short":    {strings.Repeat("a\nb\n", 1<<18), strings.Repeat("a\n", 1<<18) + strings.Repeat("b\n", 1<<18)},
		"1MiB-unseen":   {strings.Repeat(strings.Repeat("\u200b", 200)+"a\n", 1000), strings.Repeat(strings.Repeat("\u200b", 200)+"b\n", 1000)},
	}
	for name, two := range texts {
		for _, text := range two {
			if _, err := ws.WriteFile(b.Context(), name, []byte(text), workspace.WriteOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	h, err := console.New(console.Options{People: people{"": everybody(svc)}})
	if err != nil {
		b.Fatal(err)
	}
	for name := range texts {
		for _, query := range []string{"?diff=1..2&from=10000", "?diff=1..2&from=10000&as=split"} {
			b.Run(name+query[strings.LastIndex(query, "0")+1:], func(b *testing.B) {
				b.ReportAllocs()
				size := 0
				for b.Loop() {
					r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/a/a/files/"+name+query, nil)
					r.Header.Set("Accept", "text/html")
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if size = w.Body.Len(); w.Code != http.StatusOK {
						b.Fatal(w.Code, w.Body)
					}
				}
				b.ReportMetric(float64(size), "page-bytes")
			})
		}
	}
}
