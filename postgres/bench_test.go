package postgres_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Each benchmark runs for a number of rounds that it sets itself, so -benchtime 1x is
// enough. In a round the sides take turns on one server, which syncs to disk.
const (
	rounds = 9
	turn   = 400 * time.Millisecond
)

// benchServer returns the URL of a server that syncs to disk.
func benchServer(b *testing.B) string {
	b.Helper()
	return pgtest.NewCluster(b, pgtest.ClusterOptions{Fsync: true, Settings: map[string]string{
		"shared_buffers": "128MB", "max_wal_size": "2GB", "checkpoint_timeout": "30min",
	}}).URL()
}

// A side is one of those that are compared. It calls once, as the i-th call of a worker.
type side struct {
	name string
	call func(worker, i int) error
}

// rate runs workers for a turn, and returns the calls in a second.
func (s side) rate(b *testing.B, workers int, first []int) float64 {
	b.Helper()
	var n atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for w := range workers {
		wg.Go(func() {
			for time.Since(began) < turn {
				if err := s.call(w, first[w]); err != nil {
					b.Errorf("%s: %v", s.name, err)
					return
				}
				first[w]++
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(began).Seconds()
}

// compare reports the rate of each side, and the medians of their ratios to the last one,
// which is the floor.
func compare(b *testing.B, workers int, sides ...side) {
	b.Helper()
	rates, ratios := make([][]float64, len(sides)), make([][]float64, len(sides))
	calls := make([][]int, len(sides))
	for k := range sides {
		calls[k] = make([]int, workers)
		sides[k].rate(b, workers, calls[k]) // connects, and makes the rows
	}
	b.ResetTimer()
	for round := range rounds {
		now := make([]float64, len(sides))
		for k := range sides {
			k = (k + round) % len(sides) // nobody is always the first
			now[k] = sides[k].rate(b, workers, calls[k])
		}
		if b.Failed() {
			return
		}
		for k := range sides {
			rates[k] = append(rates[k], now[k])
			ratios[k] = append(ratios[k], now[k]/now[len(sides)-1])
		}
	}
	for k, s := range sides {
		b.ReportMetric(median(rates[k]), s.name+"/s")
		if k < len(sides)-1 {
			b.ReportMetric(median(ratios[k]), s.name+"/"+sides[len(sides)-1].name)
		}
	}
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// connect returns a pool of 16 connections, as a store has. Like those of a store, they prepare
// no statements.
func connect(b *testing.B, url string) *pgxpool.Pool {
	b.Helper()
	config, err := pgxpool.ParseConfig(url)
	testkit.Must(b, err)
	config.MaxConns, config.ConnConfig.DefaultQueryExecMode = 16, pgx.QueryExecModeCacheDescribe
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	testkit.Must(b, err)
	b.Cleanup(pool.Close)
	return pool
}

// The floors store and remove the same rows as ours, each with one statement that commits
// itself. They look at nothing and lock nothing before.
const (
	floorWrite = `WITH o AS (
		UPDATE owners SET versions = 100, bytes = bytes + $4, operations = operations + 1, revision = $3, changes = changes + 1, updated = now() WHERE owner = $1),
	p AS (DELETE FROM versions WHERE owner = $1 AND path = $2 AND version <= $3 - 10),
	v AS (INSERT INTO versions VALUES ($1, $2, $3, $4, $5::bytea, '', '', '', now(), $6::bytea)),
	f AS (INSERT INTO files VALUES ($1, $2, $3, $7::bigint[], 0, NULL, now(), now()) ON CONFLICT (owner, path)
		DO UPDATE SET version = excluded.version, sizes = excluded.sizes, updated = excluded.updated)
	INSERT INTO changes VALUES ($1, $3, 'edit', 'file', $2, '', $3, $3, 0, '', '', '', '', now())`

	floorRead = `SELECT f.version, f.sizes, f.summary_bytes, f.created, f.updated, v.size, v.sha256, v.client, v.client_version, v.key_id, v.created, v.content
		FROM files f JOIN versions v ON v.owner = f.owner AND v.path = f.path AND v.version = f.version
		WHERE f.owner = $1 AND f.path = $2 AND f.deleted IS NULL`
)

var page = bytes.Repeat([]byte("0123456789abcde\n"), 256)

// rawWriter is the floor of writes.
func rawWriter(b *testing.B, url string, workers int) side {
	pool := connect(b, url)
	sum, sizes := sha256.Sum256(page), "{4096,4096,4096,4096,4096,4096,4096,4096,4096,4096}"
	for w := range workers {
		testkit.Must(b, testkit.Err(pool.Exec(b.Context(), "INSERT INTO owners (owner, live) VALUES ($1, true)", fmt.Sprintf("raw/agent-%d", w))))
	}
	return side{name: "floor", call: func(w, i int) error {
		return testkit.Err(pool.Exec(b.Context(), floorWrite, fmt.Sprintf("raw/agent-%d", w), fmt.Sprintf("file-%d", i%10), i+1, 4096, sum[:], page, sizes))
	}}
}

// agents returns a workspace for each worker.
func agents(b *testing.B, url string, workers int) (all []*workspace.Workspace) {
	b.Helper()
	svc := service(b, open(b, url))
	for w := range workers {
		all = append(all, agent(b, svc, fmt.Sprintf("agent-%d", w)))
	}
	return all
}

// BenchmarkWrite compares writes of 4 KiB with a loop of one statement a write. Each worker is
// an agent with ten paths.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			url := benchServer(b)
			ws := agents(b, url, n)
			compare(b, n, side{"writes", func(w, i int) error {
				return testkit.Err(ws[w].WriteFile(b.Context(), fmt.Sprintf("file-%d", i%10), page, workspace.WriteOptions{}))
			}}, rawWriter(b, url, n))
		})
	}
}

// BenchmarkRead compares reads of 4 KiB with a SELECT that joins the head of a file with its
// current version.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("readers=%d", n), func(b *testing.B) {
			url := benchServer(b)
			ws := agents(b, url, n)
			for w := range ws {
				for i := range 10 {
					testkit.Must(b, testkit.Err(ws[w].WriteFile(b.Context(), fmt.Sprintf("file-%d", i), page, workspace.WriteOptions{})))
				}
			}
			ours := side{name: "reads", call: func(w, i int) error {
				return testkit.Err(ws[w].ReadFile(b.Context(), fmt.Sprintf("file-%d", i%10), workspace.ReadOptions{}))
			}}
			pool := connect(b, url)
			compare(b, n, ours, side{name: "floor", call: func(w, i int) error {
				rows, err := pool.Query(b.Context(), floorRead, fmt.Sprintf("local/agent-%d", w), fmt.Sprintf("file-%d", i%10))
				if err != nil {
					return err
				}
				defer rows.Close()
				if !rows.Next() || !bytes.Equal(rows.RawValues()[len(rows.RawValues())-1], page) {
					return fmt.Errorf("the floor read something else: %v", rows.Err())
				}
				return nil
			}})
		})
	}
}
