package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// fsyncRate is the floor of every durable write: how often a second this disk
// confirms 4 KiB written over the same place of a file.
func fsyncRate(b *testing.B, d time.Duration) float64 {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	block := bytes.Repeat([]byte("x"), 4096)
	n, began := 0, time.Now()
	for time.Since(began) < d {
		if _, err := f.WriteAt(block, int64(n%1024)*4096); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	return float64(n) / time.Since(began).Seconds()
}

func benchService(b *testing.B) *workspace.Service {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	svc, err := workspace.New(s, workspace.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return svc
}

// BenchmarkWrite writes 4 KiB a time, every agent over its own ten paths.
func BenchmarkWrite(b *testing.B) {
	content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	for _, agents := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("agents=%d", agents), func(b *testing.B) {
			floor := fsyncRate(b, 300*time.Millisecond)
			svc := benchService(b)
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			began := time.Now()
			for a := range agents {
				ws, err := svc.Agent(fmt.Sprintf("agent-%d", a))
				if err != nil {
					b.Fatal(err)
				}
				wg.Go(func() {
					for i := 0; next.Add(1) <= int64(b.N); i++ {
						if _, err := ws.WriteFile(b.Context(), fmt.Sprintf("file-%d", i%10), content, workspace.WriteOptions{}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			rate := float64(b.N) / time.Since(began).Seconds()
			b.StopTimer()
			floor = (floor + fsyncRate(b, 300*time.Millisecond)) / 2
			b.ReportMetric(rate, "writes/s")
			b.ReportMetric(floor, "floor-fsync/s")
			b.ReportMetric(rate/floor, "writes/fsync")
		})
	}
}
