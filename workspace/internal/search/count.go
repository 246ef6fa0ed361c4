package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	keepBytes  = 2 << 20  // of matched texts that a search keeps, so that it need not read them again
	keptText   = 256      // bytes that a text takes besides its content
	maxWorkers = 2        // that count the terms of one search
	ownBytes   = 64 << 10 // of the first texts, which are counted without others
)

// Rank returns the passages that match a query, the best first.
//
// How much a word counts depends on how many passages have it. So all texts are counted
// first. If all that match could be kept, their scores are known then. Else the texts that
// have the best passages are scored again: those that were kept, and those that have to be
// read again.
func Rank[P comparable](ctx context.Context, q *Query, limit int, pages Pages[P]) (Result, error) {
	return rank(ctx, q, limit, pages, keepBytes)
}

// rank is Rank with so many bytes of matched texts kept.
func rank[P comparable](ctx context.Context, q *Query, limit int, pages Pages[P], keep int) (Result, error) {
	workers, err := countAll(ctx, q, pages, keep)
	if err != nil {
		return Result{}, err
	}
	all := counts{with: make([]int64, len(q.terms))}
	full := false
	for _, w := range workers {
		all.add(w.counts)
		full = full || w.full
	}
	likely := top{limit: limit, before: byScore}
	for _, w := range workers {
		w.weigh(all)
		w.rankRecords(&likely)
	}
	if !full && !slices.ContainsFunc(workers, func(w *worker[P]) bool { return len(w.again) > 0 }) {
		for i := range likely.list {
			f := &likely.list[i]
			f.by.show(f)
		}
		return likely.result(all.matched), nil
	}
	wanted := map[textKey]bool{}
	for _, f := range likely.list {
		wanted[textKey{f.agent, f.path, f.entry}] = true
	}
	best := top{limit: limit, before: byScore}
	for _, w := range workers {
		if err := w.rankTexts(ctx, pages, &best, func(k textKey) bool { return full || wanted[k] }); err != nil {
			return Result{}, err
		}
	}
	return best.result(all.matched), nil
}

type textKey struct {
	agent string
	path  string
	entry int64
}

func (c *counts) add(more counts) {
	c.passages += more.passages
	c.bytes += more.bytes
	c.matched += more.matched
	for i, n := range more.with {
		c.with[i] += n
	}
}

// A worker counts the texts of some pages.
type worker[P comparable] struct {
	*ranker
	room  int // bytes that may still be kept
	again []again[P]
}

// An again is a page with texts that matched and were not kept.
type again[P comparable] struct {
	at    P
	first bool      // of the first text of the page
	keys  []textKey // of the texts; nil: not known
}

type job[P comparable] struct {
	at    P
	texts []Text
}

// countAll counts the texts of all pages. While this goroutine reads, others count, but for
// the first few texts: to wake others costs more than to count those.
func countAll[P comparable](ctx context.Context, q *Query, pages Pages[P], keep int) (workers []*worker[P], err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	jobs := make(chan job[P])
	var group sync.WaitGroup
	var panicked atomic.Value
	most := min(maxWorkers, runtime.GOMAXPROCS(0))
	start := func(w *worker[P]) {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panicked.CompareAndSwap(nil, fmt.Errorf("searching: %v", v))
					stop(context.Canceled)
				}
			}()
			for j := range jobs {
				if err := w.countPage(ctx, j); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	size, started := 0, 0
	err = each(ctx, pages, func(at P, texts []Text) error {
		if len(workers) == started && started < most {
			workers = append(workers, &worker[P]{ranker: newRanker(q), room: keep / most})
		}
		for i := range texts {
			size += len(texts[i].Content)
		}
		if size <= ownBytes {
			return workers[0].countPage(ctx, job[P]{at, texts})
		}
		if started < len(workers) {
			start(workers[started])
			started++
		}
		select {
		case jobs <- job[P]{at, texts}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	close(jobs)
	group.Wait()
	if v := panicked.Load(); v != nil {
		panic(v)
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return workers, err
}

func (w *worker[P]) countPage(ctx context.Context, j job[P]) error {
	for i := range j.texts {
		t := &j.texts[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if !w.count(t) {
			continue
		}
		if err := t.check(true); err != nil {
			return err
		}
		if size := len(t.Content) + keptText; size <= w.room {
			w.room -= size
			w.kept = append(w.kept, *t)
			w.kept[len(w.kept)-1].Check = nil // it may hold the rest of the page
			continue
		}
		if n := len(w.again); n == 0 || w.again[n-1].at != j.at {
			w.again = append(w.again, again[P]{at: j.at, first: j.texts[0].first})
		}
		if page := &w.again[len(w.again)-1]; w.full {
			page.keys = nil
		} else {
			page.keys = append(page.keys, textKey{t.Agent, t.Path, t.Entry})
		}
	}
	return nil
}

// rankTexts scores the texts that are wanted, and reads again those that were not kept.
// A page may have changed meanwhile.
func (w *worker[P]) rankTexts(ctx context.Context, pages Pages[P], best *top, wanted func(textKey) bool) error {
	done := map[textKey]bool{}
	for i := range w.kept {
		t := &w.kept[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		key := textKey{t.Agent, t.Path, t.Entry}
		if done[key] = true; wanted(key) {
			w.rank(t, best)
		}
	}
	for _, page := range w.again {
		if page.keys != nil && !slices.ContainsFunc(page.keys, wanted) {
			continue
		}
		texts, _, err := pages(ctx, page.at)
		if err != nil {
			return err
		}
		for i := range texts {
			t := &texts[i]
			t.first = page.first
			if i > 0 {
				t.first = t.Path != texts[i-1].Path
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if key := (textKey{t.Agent, t.Path, t.Entry}); wanted(key) && !done[key] {
				w.rank(t, best)
			}
		}
	}
	return nil
}
