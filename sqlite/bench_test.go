//go:build linux

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

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"golang.org/x/sys/unix"
)

// fsyncRate measures the floor of every durable write: how often in a second this disk
// confirms 4 KiB. With grow, the 4 KiB go to the end of a growing file, as in a log.
// Without, they replace blocks that the file already has, the least that a disk can be
// asked for.
func fsyncRate(b *testing.B, grow bool) float64 {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	testkit.Must(b, err)
	defer f.Close()
	block := bytes.Repeat([]byte("x"), 4096)
	if !grow {
		for i := range int64(1024) {
			testkit.Must(b, testkit.Err(f.WriteAt(block, i*4096)))
		}
		testkit.Must(b, f.Sync())
	}
	n, began := int64(0), time.Now()
	for time.Since(began) < 300*time.Millisecond {
		at := n
		if !grow {
			at %= 1024
		}
		testkit.Must(b, testkit.Err(f.WriteAt(block, at*4096)))
		testkit.Must(b, unix.Fdatasync(int(f.Fd())))
		n++
	}
	return float64(n) / time.Since(began).Seconds()
}

// BenchmarkWrite writes 4 KiB at a time. Each agent writes its own ten paths.
func BenchmarkWrite(b *testing.B) {
	content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	for _, agents := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("agents=%d", agents), func(b *testing.B) {
			grows, stays := fsyncRate(b, true), fsyncRate(b, false)
			svc := newService(b, open(b, filepath.Join(b.TempDir(), "bench.db")))
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			began := time.Now()
			for a := range agents {
				ws := agent(b, svc, fmt.Sprintf("agent-%d", a))
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
			grows, stays = (grows+fsyncRate(b, true))/2, (stays+fsyncRate(b, false))/2
			b.ReportMetric(rate, "writes/s")
			b.ReportMetric(rate/grows, "writes/append-fsync")
			b.ReportMetric(rate/stays, "writes/overwrite-fsync")
		})
	}
}
