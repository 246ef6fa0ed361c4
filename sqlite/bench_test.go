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
	"github.com/agent-scratchpad/scratchpad/sqlite"
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
			if _, err := f.WriteAt(block, i*4096); err != nil {
				b.Fatal(err)
			}
		}
		testkit.Must(b, f.Sync())
	}
	n, began := int64(0), time.Now()
	for time.Since(began) < 300*time.Millisecond {
		at := n
		if !grow {
			at %= 1024
		}
		if _, err := f.WriteAt(block, at*4096); err != nil {
			b.Fatal(err)
		}
		testkit.Must(b, unix.Fdatasync(int(f.Fd())))
		n++
	}
	return float64(n) / time.Since(began).Seconds()
}

func benchService(b *testing.B, options workspace.Options) *workspace.Service {
	b.Helper()
	_, svc := openBench(b, options)
	return svc
}

func openBench(b *testing.B, options workspace.Options) (*sqlite.Store, *workspace.Service) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{})
	testkit.Must(b, err)
	b.Cleanup(func() { s.Close() })
	svc, err := workspace.New(s, options)
	testkit.Must(b, err)
	return s, svc
}

// BenchmarkWrite writes 4 KiB at a time. Each agent writes its own ten paths.
func BenchmarkWrite(b *testing.B) {
	content := bytes.Repeat([]byte("0123456789abcde\n"), 256)
	for _, agents := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("agents=%d", agents), func(b *testing.B) {
			grows, stays := fsyncRate(b, true), fsyncRate(b, false)
			svc := benchService(b, workspace.Options{})
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			began := time.Now()
			for a := range agents {
				ws, err := svc.Agent(fmt.Sprintf("agent-%d", a))
				testkit.Must(b, err)
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

// BenchmarkGrowth compares one writer's calls on an empty database with those on a
// large one. The two take turns, so that both meet the same disk.
func BenchmarkGrowth(b *testing.B) {
	kib := bytes.Repeat([]byte("0123456789abcde\n"), 64)
	write := func(b *testing.B, ws *workspace.Workspace, i int) {
		if _, err := ws.WriteFile(b.Context(), fmt.Sprintf("file-%d", i%100), kib, workspace.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	add := func(b *testing.B, ws *workspace.Workspace, _ int) {
		if _, err := ws.AppendLog(b.Context(), "log", kib[:80]); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		fill func(*testing.B, *workspace.Service)
		call func(*testing.B, *workspace.Workspace, int)
	}{
		{"write-1KiB/100MB", func(b *testing.B, svc *workspace.Service) { fillFiles(b, svc, 1) }, write},
		{"write-1KiB/1GB", func(b *testing.B, svc *workspace.Service) { fillFiles(b, svc, 10) }, write},
		{"append-80B/90000-entries", fillLog, add},
	} {
		b.Run(c.name, func(b *testing.B) {
			options := workspace.Options{Limits: workspace.Limits{Bytes: 1 << 40, Files: 1 << 20, Entries: 1 << 30}}
			full, empty := benchService(b, options), benchService(b, options)
			c.fill(b, full)
			fullWS, err := full.Agent("agent-0")
			testkit.Must(b, err)
			emptyWS, err := empty.Agent("agent-0")
			testkit.Must(b, err)
			var took [2]time.Duration
			b.ResetTimer()
			for i := range b.N {
				for k, ws := range []*workspace.Workspace{emptyWS, fullWS} {
					began := time.Now()
					c.call(b, ws, i)
					took[k] += time.Since(began)
				}
			}
			b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "empty-us/op")
			b.ReportMetric(float64(took[1].Microseconds())/float64(b.N), "full-us/op")
			b.ReportMetric(float64(took[1])/float64(took[0]), "full/empty")
		})
	}
}

// fillFiles gives each of the agents 100 MB: 1,000 files of 10 versions of 10 KB.
func fillFiles(b *testing.B, svc *workspace.Service, agents int) {
	content := bytes.Repeat([]byte("0123456789abcde\n"), 625)
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := w; i < agents*10_000; i += 16 {
				ws, err := svc.Agent(fmt.Sprintf("agent-%d", i/10_000))
				if err == nil {
					_, err = ws.WriteFile(b.Context(), fmt.Sprintf("stored/%d", i%1000), content, workspace.WriteOptions{})
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func fillLog(b *testing.B, svc *workspace.Service) {
	ws, err := svc.Agent("agent-0")
	testkit.Must(b, err)
	batch := make([][]byte, 1000)
	for i := range batch {
		batch[i] = bytes.Repeat([]byte("x"), 80)
	}
	for range 90 {
		if _, err := ws.AppendLog(b.Context(), "log", batch...); err != nil {
			b.Fatal(err)
		}
	}
}
