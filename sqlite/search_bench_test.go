package sqlite_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

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
			for _, query := range []string{"xylophone zebra", "quarterly refund", "with the", `"the refund"`} {
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
		var err error
		if db, err = sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "db"), sqlite.Options{}); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
	}
	svc, err := workspace.New(db, workspace.Options{Limits: workspace.Limits{Bytes: 1 << 30, Files: 10_000}})
	testkit.Must(b, err)
	ws, err := svc.Agent("a")
	testkit.Must(b, err)
	for i, t := range texts {
		if _, err := ws.WriteFile(b.Context(), fmt.Sprintf("notes/%05d.txt", i), t, workspace.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	return ws
}
