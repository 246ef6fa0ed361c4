package sqlite_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// BenchmarkWritesBesideSummaries writes 4 KiB from eight agents at a time, by turns
// alone and beside sixteen summaries whose provider is in trouble: it hangs, drips,
// breaks off or answers 529. It reports the p99 of both and their ratio.
func BenchmarkWritesBesideSummaries(b *testing.B) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch time.Now().UnixNano() / 1000 % 4 {
		case 0:
			<-r.Context().Done()
		case 1:
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		case 2:
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(529)
		}
	}))
	defer provider.Close()
	summarizer, err := summarize.OpenAI(summarize.ProviderOptions{BaseURL: provider.URL, Model: "m", Timeout: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "scratchpad.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{Summarizer: &summarizer})
	if err != nil {
		b.Fatal(err)
	}
	defer svc.Close(context.Background())
	agent := func(name string) *workspace.Workspace {
		ws, err := svc.Agent(name)
		if err != nil {
			b.Fatal(err)
		}
		return ws
	}
	long := []byte(strings.Repeat("a line of a long file\n", 2000))
	for i := range 16 {
		if _, err := agent(fmt.Sprint("long-", i)).WriteFile(b.Context(), "f", long, workspace.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	const turns = 10
	var alone, beside []time.Duration
	for b.Loop() {
		for range turns {
			alone = append(alone, writeFourKiB(b, agent)...)
			ctx, cancel := context.WithCancel(b.Context())
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					for ctx.Err() == nil {
						agent(fmt.Sprint("long-", i)).Summarize(ctx, "f", workspace.SummarizeOptions{})
					}
				})
			}
			beside = append(beside, writeFourKiB(b, agent)...)
			cancel()
			wg.Wait()
		}
	}
	first, second := p99(alone), p99(beside)
	b.ReportMetric(float64(first.Microseconds()), "alone-µs-p99")
	b.ReportMetric(float64(second.Microseconds()), "beside-µs-p99")
	b.ReportMetric(float64(second)/float64(first), "ratio")
}

// writeFourKiB writes 8 times 250 files of 4 KiB, and says how long each took.
func writeFourKiB(b *testing.B, agent func(string) *workspace.Workspace) []time.Duration {
	content := []byte(strings.Repeat("x", 4096))
	took := make([][]time.Duration, 8)
	var wg sync.WaitGroup
	for w := range took {
		wg.Go(func() {
			ws := agent(fmt.Sprint("writer-", w))
			for i := range 250 {
				began := time.Now()
				if _, err := ws.WriteFile(b.Context(), fmt.Sprint("f", i%10), content, workspace.WriteOptions{}); err != nil {
					b.Error(err)
				}
				took[w] = append(took[w], time.Since(began))
			}
		})
	}
	wg.Wait()
	return slices.Concat(took...)
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}
