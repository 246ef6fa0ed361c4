package postgres_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/jackc/pgx/v5/pgconn"
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

func benchService(b *testing.B, url string) *workspace.Service {
	b.Helper()
	svc, err := workspace.New(open(b, url), workspace.Options{})
	testkit.Must(b, err)
	return svc
}

// A side is one of those that are compared. It calls once, as the i-th call of a worker.
type side struct {
	name   string
	call   func(worker, i int) error
	beside func(ctx context.Context) // starts what goes on until the turn is over; nil: nothing
}

// rate runs workers for a turn, and returns the calls in a second.
func (s side) rate(b *testing.B, workers int, first []int) float64 {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	if s.beside != nil {
		s.beside(ctx)
	}
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

// raw is a number of connections without a pool, for floors.
type raw []chan *pgconn.PgConn

// connect opens a connection for each worker, but not more than 16, as a store does.
func connect(b *testing.B, url string, workers int) raw {
	b.Helper()
	all := make(raw, min(workers, 16))
	for i := range all {
		c, err := pgconn.Connect(b.Context(), url)
		testkit.Must(b, err)
		b.Cleanup(func() { c.Close(context.Background()) })
		all[i] = make(chan *pgconn.PgConn, 1)
		all[i] <- c
	}
	return all
}

// run runs one statement and returns the values of its row. Arguments are texts or bytes.
func (r raw) run(worker int, sql string, args ...any) ([][]byte, error) {
	c := <-r[worker%len(r)]
	defer func() { r[worker%len(r)] <- c }()
	values, formats := make([][]byte, len(args)), make([]int16, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			values[i] = []byte(a)
		case []byte:
			values[i], formats[i] = a, 1
		}
	}
	result := c.ExecParams(context.Background(), sql, values, nil, formats, []int16{1}).Read()
	if result.Err != nil || len(result.Rows) == 0 {
		return nil, result.Err
	}
	return result.Rows[0], nil
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

	floorAppend = `WITH o AS (
		UPDATE owners SET entries = entries + 1, bytes = bytes + 80, operations = operations + 1, revision = $3, changes = changes + 1, updated = now() WHERE owner = $1),
	e AS (INSERT INTO entries VALUES ($1, $2, $3, $4::bytea, '', '', '', now(), $5::bytea)),
	l AS (INSERT INTO logs VALUES ($1, $2, 1, $3, 80, NULL, now(), now()) ON CONFLICT (owner, path)
		DO UPDATE SET last = excluded.last, bytes = logs.bytes + 80, updated = excluded.updated)
	INSERT INTO changes VALUES ($1, $3, 'append', 'log', $2, '', $3, $3, 1, '', '', '', '', now())`

	floorRead = `SELECT f.version, f.sizes, f.summary_bytes, f.created, f.updated, v.size, v.sha256, v.client, v.client_version, v.key_id, v.created, v.content
		FROM files f JOIN versions v ON v.owner = f.owner AND v.path = f.path AND v.version = f.version
		WHERE f.owner = $1 AND f.path = $2 AND f.deleted IS NULL`
)

var page = bytes.Repeat([]byte("0123456789abcde\n"), 256)

// rawWriter is the floor of writes.
func rawWriter(b *testing.B, url string, workers int) side {
	r := connect(b, url, workers)
	sum, sizes := sha256.Sum256(page), "{4096,4096,4096,4096,4096,4096,4096,4096,4096,4096}"
	makeOwners(b, r, workers)
	return side{name: "floor", call: func(w, i int) error {
		_, err := r.run(w, floorWrite, fmt.Sprintf("raw/agent-%d", w), fmt.Sprintf("file-%d", i%10), strconv.Itoa(i+1), "4096", sum[:], page, sizes)
		return err
	}}
}

func makeOwners(b *testing.B, r raw, workers int) {
	b.Helper()
	for w := range workers {
		if _, err := r.run(w, "INSERT INTO owners (owner, live) VALUES ($1, true)", fmt.Sprintf("raw/agent-%d", w)); err != nil {
			b.Fatal(err)
		}
	}
}

// agents returns a workspace for each worker.
func agents(b *testing.B, svc *workspace.Service, workers int) []*workspace.Workspace {
	b.Helper()
	var all []*workspace.Workspace
	for w := range workers {
		ws, err := svc.Agent(fmt.Sprintf("agent-%d", w))
		testkit.Must(b, err)
		all = append(all, ws)
	}
	return all
}

// writer writes 4 KiB at a time. Each worker is an agent with ten paths.
func writer(b *testing.B, name string, svc *workspace.Service, workers int, o func(i int) workspace.WriteOptions) side {
	ws := agents(b, svc, workers)
	return side{name: name, call: func(w, i int) error {
		_, err := ws[w].WriteFile(b.Context(), fmt.Sprintf("file-%d", i%10), page, o(i))
		return err
	}}
}

func noKey(int) workspace.WriteOptions { return workspace.WriteOptions{} }

// BenchmarkWrite compares writes with a loop of one statement a write.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			url := benchServer(b)
			compare(b, n, writer(b, "writes", benchService(b, url), n, noKey), rawWriter(b, url, n))
		})
	}
}

// BenchmarkKeyed compares writes that have an idempotency key with others.
func BenchmarkKeyed(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			url := benchServer(b)
			svc := benchService(b, url)
			keyed := writer(b, "keyed", svc, n, func(i int) workspace.WriteOptions {
				return workspace.WriteOptions{IdempotencyKey: strconv.Itoa(i)}
			})
			compare(b, n, keyed, rawWriter(b, url, n))
		})
	}
}

// BenchmarkAppend compares appends of 80 bytes with a loop of one statement an append.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			url := benchServer(b)
			ws := agents(b, benchService(b, url), n)
			entry := page[:80]
			ours := side{name: "appends", call: func(w, _ int) error {
				_, err := ws[w].AppendLog(b.Context(), "log", entry)
				return err
			}}
			r := connect(b, url, n)
			makeOwners(b, r, n)
			sum := sha256.Sum256(entry)
			compare(b, n, ours, side{name: "floor", call: func(w, i int) error {
				_, err := r.run(w, floorAppend, fmt.Sprintf("raw/agent-%d", w), "log", strconv.Itoa(i+1), sum[:], entry)
				return err
			}})
		})
	}
}

// BenchmarkRead compares reads of 4 KiB with a SELECT that joins the head of a file with its
// current version.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("readers=%d", n), func(b *testing.B) {
			url := benchServer(b)
			ws := agents(b, benchService(b, url), n)
			for w := range ws {
				for i := range 10 {
					if _, err := ws[w].WriteFile(b.Context(), fmt.Sprintf("file-%d", i), page, workspace.WriteOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			}
			ours := side{name: "reads", call: func(w, i int) error {
				_, err := ws[w].ReadFile(b.Context(), fmt.Sprintf("file-%d", i%10), workspace.ReadOptions{})
				return err
			}}
			r := connect(b, url, n)
			compare(b, n, ours, side{name: "floor", call: func(w, i int) error {
				row, err := r.run(w, floorRead, fmt.Sprintf("%s/agent-%d", "local", w), fmt.Sprintf("file-%d", i%10))
				if err == nil && (len(row) == 0 || !bytes.Equal(row[len(row)-1], page)) {
					err = fmt.Errorf("the floor read something else")
				}
				return err
			}})
		})
	}
}

// BenchmarkServers writes with 48 agents through one, two and three stores on one database.
func BenchmarkServers(b *testing.B) {
	const workers = 48
	url := benchServer(b)
	var stores [3]side
	for k := range stores {
		stores[k] = writer(b, "", benchService(b, url), workers, noKey)
	}
	through := func(n int, name string) side {
		return side{name: name, call: func(w, i int) error { return stores[w%n].call(w, i) }}
	}
	compare(b, workers, through(3, "three"), through(2, "two"), through(1, "one"))
}

// BenchmarkNotify compares writes that three other stores watch with writes that nobody
// watches.
func BenchmarkNotify(b *testing.B) {
	const workers = 16
	url := benchServer(b)
	alone := writer(b, "unwatched", benchService(b, url), workers, noKey)
	watched := side{name: "watched", call: alone.call}
	var others []*postgres.Store
	for range 3 {
		others = append(others, open(b, url))
	}
	watched.beside = func(ctx context.Context) {
		for _, s := range others {
			told, err := s.Watch(ctx)
			if err != nil {
				b.Error(err)
				return
			}
			go func() {
				for range told {
				}
			}()
		}
	}
	compare(b, workers, watched, alone)
}

// p99 runs workers for a turn beside others, and returns the 99th percentile of their calls.
func p99(b *testing.B, workers int, call func(w, i int) error, others int, other func(w, i int) error) time.Duration {
	b.Helper()
	var wg sync.WaitGroup
	took := make([][]time.Duration, workers)
	began := time.Now()
	loop := func(n int, call func(w, i int) error, done func(w int, d time.Duration)) {
		for w := range n {
			wg.Go(func() {
				for i := 0; time.Since(began) < 2*turn; i++ {
					start := time.Now()
					if err := call(w, i); err != nil {
						b.Error(err)
						return
					}
					done(w, time.Since(start))
				}
			})
		}
	}
	loop(workers, call, func(w int, d time.Duration) { took[w] = append(took[w], d) })
	loop(others, other, func(int, time.Duration) {})
	wg.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	return all[len(all)*99/100]
}

// BenchmarkNeighbours has 50 agents, each with one writer, beside one agent with 64 writers
// or 64 readers. It compares the 99th percentile of the 50 with what it is without the one.
func BenchmarkNeighbours(b *testing.B) {
	url := benchServer(b)
	svc := benchService(b, url)
	fifty := writer(b, "", svc, 50, noKey)
	hot, err := svc.Agent("hot")
	testkit.Must(b, err)
	write := func(w, _ int) error {
		_, err := hot.WriteFile(b.Context(), fmt.Sprintf("file-%d", w), page, workspace.WriteOptions{})
		return err
	}
	read := func(w, _ int) error {
		_, err := hot.ReadFile(b.Context(), fmt.Sprintf("file-%d", w), workspace.ReadOptions{})
		return err
	}
	for _, c := range []struct {
		name string
		call func(w, i int) error
	}{{"writers", write}, {"readers", read}} {
		b.Run("64-"+c.name, func(b *testing.B) {
			for w := range 64 {
				testkit.Must(b, write(w, 0))
			}
			p99(b, 50, fifty.call, 64, c.call)
			var quiet, loud, ratios []float64
			b.ResetTimer()
			for range rounds {
				q := p99(b, 50, fifty.call, 0, nil).Seconds() * 1000
				l := p99(b, 50, fifty.call, 64, c.call).Seconds() * 1000
				quiet, loud, ratios = append(quiet, q), append(loud, l), append(ratios, l/q)
			}
			b.ReportMetric(median(quiet), "quiet-p99-ms")
			b.ReportMetric(median(loud), "beside-p99-ms")
			b.ReportMetric(median(ratios), "beside/quiet")
		})
	}
}

// BenchmarkCallers has 1,000 callers write and read at once, and reports how much the heap
// grew at its peak.
func BenchmarkCallers(b *testing.B) {
	const callers = 1000
	svc := benchService(b, benchServer(b))
	ours := writer(b, "writes", svc, callers, noKey)
	heap := func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapInuse) / (1 << 20)
	}
	runtime.GC()
	before := heap()
	peak := make(chan float64, 1)
	b.ResetTimer()
	ours.beside = func(ctx context.Context) {
		go func() {
			most := before
			for ctx.Err() == nil {
				most = max(most, heap())
				time.Sleep(5 * time.Millisecond)
			}
			peak <- most
		}()
	}
	rate := ours.rate(b, callers, make([]int, callers))
	b.ReportMetric(rate, "writes/s")
	b.ReportMetric(<-peak-before, "heap-MiB")
}
