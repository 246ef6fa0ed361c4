//go:build linux

package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// rowless is a store whose writes add no row to the journal of changes, and are the same
// otherwise.
type rowless struct{ workspace.Store }

func (s rowless) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx workspace.Tx) error { return fn(rowlessTx{tx}) })
}

type rowlessTx struct{ workspace.Tx }

func (tx rowlessTx) SaveFile(ch workspace.FileChange) error {
	ch.Change = workspace.Change{}
	return tx.Tx.SaveFile(ch)
}

func (tx rowlessTx) SaveLog(ch workspace.LogChange) error {
	ch.Change = workspace.Change{}
	return tx.Tx.SaveLog(ch)
}

func (tx rowlessTx) DropChanges(int64) error { return nil }

// BenchmarkJournalRow compares writes with those that add no row to the journal. The two
// take turns, so that both meet the same disk. The journals are full before, so that rows
// are removed too.
func BenchmarkJournalRow(b *testing.B) {
	kib := bytes.Repeat([]byte("0123456789abcde\n"), 64)
	for _, c := range []struct {
		name   string
		agents int
		call   func(*workspace.Workspace, int) error
	}{
		{"write-1KiB", 1, func(ws *workspace.Workspace, i int) error {
			_, err := ws.WriteFile(context.Background(), fmt.Sprintf("file-%d", i%100), kib, workspace.WriteOptions{})
			return err
		}},
		{"append-80B", 1, func(ws *workspace.Workspace, _ int) error {
			_, err := ws.AppendLog(context.Background(), "log", kib[:80])
			return err
		}},
		{"write-4KiB", 64, func(ws *workspace.Workspace, i int) error {
			_, err := ws.WriteFile(context.Background(), fmt.Sprintf("file-%d", i%10), bytes.Repeat(kib, 4), workspace.WriteOptions{})
			return err
		}},
	} {
		b.Run(fmt.Sprintf("%s/agents=%d", c.name, c.agents), func(b *testing.B) { benchJournalRow(b, c.agents, c.call) })
	}
}

func benchJournalRow(b *testing.B, agents int, call func(*workspace.Workspace, int) error) {
	var sides [2][]*workspace.Workspace
	for k := range sides {
		path := filepath.Join(b.TempDir(), "bench.db")
		store, err := sqlite.Open(b.Context(), path, sqlite.Options{})
		testkit.Must(b, err)
		b.Cleanup(func() { store.Close() })
		svc, err := workspace.New([]workspace.Store{rowless{store}, store}[k], workspace.Options{Limits: workspace.Limits{Changes: 200}})
		testkit.Must(b, err)
		for a := range agents {
			ws, err := svc.Agent(fmt.Sprintf("agent-%d", a))
			testkit.Must(b, err)
			sides[k] = append(sides[k], ws.As(workspace.Author{Client: "claude-code", Version: "2.0.14", Key: "k-0123456789", Session: "8f14e45fceea167a"}))
		}
	}
	round := func(side []*workspace.Workspace, i int) {
		var wg sync.WaitGroup
		for _, ws := range side {
			wg.Go(func() {
				if err := call(ws, i); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
	}
	for i := range 320 {
		round(sides[0], i)
		round(sides[1], i)
	}
	var took [2]time.Duration
	b.ResetTimer()
	for i := range b.N {
		for n := range 2 {
			k := (n + i) % 2
			began := time.Now()
			round(sides[k], i)
			took[k] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "without-us/op")
	b.ReportMetric(float64(took[1].Microseconds())/float64(b.N), "with-us/op")
	b.ReportMetric(float64(took[1])/float64(took[0]), "with/without")
	b.ReportMetric(1e6/fsyncRate(b, true), "fsync-us")
}
