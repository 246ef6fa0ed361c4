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

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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

const (
	besideTimeout = 3 * time.Second // of a call to the provider
	besideReaders = 16              // agents that ask for summaries
	besideFiles   = 16              // files of each of them
	besideWriters = 8
	besideWrites  = 500 // of each writer in a turn
	besideTurns   = 10
)

// BenchmarkWritesBesideSummaries measures eight agents that write 4 KiB at a time, in
// turn alone and beside sixteen agents that ask for summaries. The provider goes
// through all its troubles. Each of the sixteen asks again half a second after an
// error, for another file; no breaker holds it back. The benchmark reports the p99 of
// both, their ratio, and how many summaries failed in a turn: all of them.
func BenchmarkWritesBesideSummaries(b *testing.B) {
	provider := httptest.NewServer(troubledProvider())
	defer provider.Close()
	svc := benchService(b, workspace.Options{Summarizer: withoutBreaker(b, provider.URL)})
	defer svc.Close(context.Background())
	readers, writers := agents(b, svc, "reader", besideReaders), agents(b, svc, "writer", besideWriters)
	long := []byte(strings.Repeat("a line of a long file\n", 2000))
	for _, ws := range readers {
		for f := range besideFiles {
			if _, err := ws.WriteFile(b.Context(), fmt.Sprint("f", f), long, workspace.WriteOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	var alone, beside []time.Duration
	var failed atomic.Int64
	timeWrites(b, writers) // the database has its size, and its pages are cached
	for b.Loop() {
		for range besideTurns {
			alone = append(alone, timeWrites(b, writers)...)
			stop := askForSummaries(b, readers, &failed)
			time.Sleep(time.Second) // until some of them hang
			beside = append(beside, timeWrites(b, writers)...)
			stop()
			time.Sleep(besideTimeout + time.Second) // what is paid for goes on without them
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(p99(alone).Microseconds()), "alone-p99-µs")
	b.ReportMetric(float64(p99(beside).Microseconds()), "beside-p99-µs")
	b.ReportMetric(float64(p99(beside))/float64(p99(alone)), "beside/alone")
	b.ReportMetric(float64(failed.Load())/float64(b.N*besideTurns), "failed/turn")
}

// troubledProvider answers each request with the next of the troubles.
func troubledProvider() http.Handler {
	var asked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		troubles[asked.Add(1)%int64(len(troubles))](w, r)
	})
}

// withoutBreaker returns a summarizer that asks the provider in spite of earlier failures.
func withoutBreaker(b *testing.B, url string) *workspace.Summarizer {
	b.Helper()
	options := summarize.ProviderOptions{BaseURL: url, Model: "m", Timeout: besideTimeout}
	summarizer, err := summarize.OpenAI(options)
	testkit.Must(b, err)
	summarizer.Summarize = func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		fresh, err := summarize.OpenAI(options)
		if err != nil {
			return workspace.SummaryText{}, err
		}
		return fresh.Summarize(ctx, r)
	}
	return &summarizer
}

func agents(b *testing.B, svc *workspace.Service, name string, n int) (list []*workspace.Workspace) {
	b.Helper()
	for i := range n {
		ws, err := svc.Agent(fmt.Sprintf("%s-%d", name, i))
		testkit.Must(b, err)
		list = append(list, ws)
	}
	return list
}

// timeWrites lets all writers write at once, and returns how long each write took.
func timeWrites(b *testing.B, writers []*workspace.Workspace) []time.Duration {
	content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	took := make([][]time.Duration, len(writers))
	var wg sync.WaitGroup
	for i, ws := range writers {
		wg.Go(func() {
			for n := range besideWrites {
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

// askForSummaries lets all readers ask until stop is called, and counts what failed.
func askForSummaries(b *testing.B, readers []*workspace.Workspace, failed *atomic.Int64) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	for _, ws := range readers {
		wg.Go(func() {
			for f := 0; ctx.Err() == nil; f++ {
				_, err := ws.Summarize(ctx, fmt.Sprint("f", f%besideFiles), workspace.SummarizeOptions{})
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
	return func() { cancel(); wg.Wait() }
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}
