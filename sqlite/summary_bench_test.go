//go:build linux

package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// troubles are what a provider does instead of answering. Each has read the request
// first, since only then it learns that the client has left.
var troubles = []func(w http.ResponseWriter, r *http.Request){
	func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	},
	func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"choices":[`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	},
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) },
	func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	},
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(529) },
	func(w http.ResponseWriter, _ *http.Request) {
		chunk := bytes.Repeat([]byte(" "), 1<<20)
		for range 1024 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	},
	func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"choices":[{"mess`) },
	func(http.ResponseWriter, *http.Request) {},
	func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"choices":[{"message":{"content":""},"finish_reason":"length"}]}`)
	},
}

// BenchmarkWritesBesideSummaries measures eight agents that write 4 KiB at a time, in
// turn alone and beside sixteen agents that ask for summaries. The provider goes
// through all its troubles. Each of the sixteen asks again half a second after an
// error, for another file; no breaker holds it back. The benchmark reports the p99 of
// both, their ratio, and how many summaries failed in a turn: all of them.
func BenchmarkWritesBesideSummaries(b *testing.B) {
	var asked atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		troubles[asked.Add(1)%int64(len(troubles))](w, r)
	}))
	defer provider.Close()
	const timeout = 3 * time.Second
	options := summarize.ProviderOptions{BaseURL: provider.URL, Model: "m", Timeout: timeout}
	summarizer, err := summarize.OpenAI(options)
	if err != nil {
		b.Fatal(err)
	}
	summarizer.Summarize = func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		fresh, err := summarize.OpenAI(options)
		if err != nil {
			return workspace.SummaryText{}, err
		}
		return fresh.Summarize(ctx, r)
	}
	svc := benchService(b, workspace.Options{Summarizer: &summarizer})
	defer svc.Close(context.Background())
	agent := func(name string, i int) *workspace.Workspace {
		ws, err := svc.Agent(fmt.Sprintf("%s-%d", name, i))
		if err != nil {
			b.Fatal(err)
		}
		return ws
	}
	const readers, files, writers, writes, turns = 16, 16, 8, 500, 10
	long := []byte(strings.Repeat("a line of a long file\n", 2000))
	for i := range readers {
		for f := range files {
			if _, err := agent("reader", i).WriteFile(b.Context(), fmt.Sprint("f", f), long, workspace.WriteOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	write := func() []time.Duration {
		took := make([][]time.Duration, writers)
		var wg sync.WaitGroup
		for i := range took {
			ws := agent("writer", i)
			wg.Go(func() {
				for n := range writes {
					began := time.Now()
					if _, err := ws.WriteFile(b.Context(), fmt.Sprint("f", n%10), content, workspace.WriteOptions{}); err != nil {
						b.Error(err)
					}
					took[i] = append(took[i], time.Since(began))
				}
			})
		}
		wg.Wait()
		return slices.Concat(took...)
	}
	var alone, beside []time.Duration
	var failed atomic.Int64
	write() // the database has its size, and its pages are cached
	for b.Loop() {
		for range turns {
			alone = append(alone, write()...)
			ctx, cancel := context.WithCancel(b.Context())
			var wg sync.WaitGroup
			for i := range readers {
				ws := agent("reader", i)
				wg.Go(func() {
					for f := 0; ctx.Err() == nil; f++ {
						_, err := ws.Summarize(ctx, fmt.Sprint("f", f%files), workspace.SummarizeOptions{})
						switch {
						case err == nil:
							b.Error("a summary of a provider in trouble")
						case ctx.Err() == nil:
							failed.Add(1)
						}
						select {
						case <-ctx.Done():
						case <-time.After(500 * time.Millisecond):
						}
					}
				})
			}
			time.Sleep(time.Second) // until some of them hang
			beside = append(beside, write()...)
			cancel()
			wg.Wait()
			time.Sleep(timeout + time.Second) // what is paid for goes on without them
		}
	}
	p99 := func(took []time.Duration) time.Duration {
		slices.Sort(took)
		return took[len(took)*99/100]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(p99(alone).Microseconds()), "alone-p99-µs")
	b.ReportMetric(float64(p99(beside).Microseconds()), "beside-p99-µs")
	b.ReportMetric(float64(p99(beside))/float64(p99(alone)), "beside/alone")
	b.ReportMetric(float64(failed.Load())/float64(b.N*turns), "failed/turn")
}
