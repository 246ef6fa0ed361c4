package search

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// A Text is a file, or an entry of a log.
type Text struct {
	Agent   string // whose it is, where a search is over several; else ""
	Path    string
	Entry   int64 // the number of the entry; 0: a file
	Version int64 // an older version of a file, or one of a deleted file; 0: the current one
	Deleted bool  // the file is deleted
	Time    time.Time
	Content []byte
	Check   func() error // nil, or says whether Content is what was written; called if it matches

	first bool    // of its path
	lines []int32 // the numbers of its lines; nil: 1, 2, 3
}

// A Hit is a passage, or a line of an exact search.
type Hit struct {
	Agent   string // as in Text
	Path    string
	Entry   int64 // of a log; 0: of a file
	Version int64 // as in Text
	Deleted bool
	Line    int // of the file or the entry, from 1
	Time    time.Time
	Score   float64  // 0: of an exact search
	Text    string   // the line, at most MaxText characters of it, on one line
	Marks   [][2]int // ranges of bytes of Text that match
}

// Cut shortens the text to some bytes.
func (h *Hit) Cut(size int) {
	h.Text = h.Text[:size]
	for i, m := range h.Marks {
		if m[1] > size {
			h.Marks = h.Marks[:i]
			break
		}
	}
}

// A Result is what was found.
type Result struct {
	Hits  []Hit
	Total int64    // passages or lines that matched
	Near  []string // if nothing did: words of the texts that are like those of the query
}

// Pages returns the texts of a page, and the place of the next page. The first page is at
// the zero P, and a page with the next place zero is the last. All texts of a path come
// one after the other.
type Pages[P comparable] func(ctx context.Context, at P) (texts []Text, next P, err error)

const (
	keepBytes = 2 << 20  // of matched texts that a search keeps, so that it need not read them again
	ownBytes  = 64 << 10 // of the first texts, which are read by one goroutine: to start another costs more
)

// A Window says which hits of a result are wanted: at most Limit after the first After.
type Window struct{ After, Limit int }

// end is how many hits the window and those before it have.
func (w Window) end() int { return w.After + w.Limit }

// Rank returns the passages that match a query, the best first.
//
// It finds the passages that match, scores them when all are known, because how much a word
// counts depends on how many passages have it, and then makes an excerpt of the best. For that
// it reads those texts again that it could not keep. A text that has changed meanwhile is
// left out.
func Rank[P comparable](ctx context.Context, q *Query, w Window, pages Pages[P]) (Result, error) {
	p := newPager(pages)
	matchers, err := matchAll(ctx, q, w.end(), p)
	if err != nil {
		return Result{}, err
	}
	all := counts{with: make([]int64, len(q.terms))}
	for _, r := range matchers {
		all.add(r.counts)
	}
	scorer := newScorer(q, all)
	best := top{limit: w.end(), order: byScore}
	for _, r := range matchers {
		for i := range r.matches {
			m := &r.matches[i]
			m.score = scorer.score(m)
			best.offer(m.found())
		}
	}
	best.skip(w.After)
	if err := p.excerpts(ctx, scorer, &best); err != nil {
		return Result{}, err
	}
	r := best.result(all.matched)
	if all.matched == 0 {
		var err error
		if r.Near, err = near(ctx, q, newPager(pages)); err != nil {
			return Result{}, err
		}
	}
	return r, nil
}

// Find returns the lines that match a pattern, in the order of path and line.
func Find[P comparable](ctx context.Context, pattern *Pattern, w Window, pages Pages[P]) (Result, error) {
	best := top{limit: w.end(), order: byPlace}
	var total int64
	p := newPager(pages)
	err := p.each(ctx, math.MaxInt, func(t *Text, _ int) error {
		n := pattern.lines(ctx, t, &best)
		if total += n; n > 0 {
			return t.check()
		}
		return nil
	})
	best.skip(w.After)
	return best.result(total), err
}

// A pager reads the pages of a search. It is safe for concurrent use.
type pager[P comparable] struct {
	pages Pages[P]

	mu   sync.Mutex // guards the following
	read []P        // the pages that were read
	next P          // the next page
	last Text       // without its content
	done bool       // there is no next page
}

func newPager[P comparable](pages Pages[P]) *pager[P] {
	return &pager[P]{pages: pages, last: Text{Path: "/"}} // no path is this
}

// page reads the next page. There are no texts after the last one.
func (p *pager[P]) page(ctx context.Context) (texts []Text, number int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.done && len(texts) == 0 && err == nil {
		at := p.next
		texts, p.next, err = p.pages(ctx, at)
		p.read = append(p.read, at)
		p.done = p.next == *new(P)
	}
	for i := range texts {
		t := &texts[i]
		t.first = t.Path != p.last.Path || t.Entry > 0 != (p.last.Entry > 0) || t.Agent != p.last.Agent
		p.last = Text{Agent: t.Agent, Path: t.Path, Entry: t.Entry}
	}
	return texts, len(p.read) - 1, err
}

// each calls fn with each text and the number of its page, until there were so many bytes.
func (p *pager[P]) each(ctx context.Context, most int, fn func(t *Text, page int) error) error {
	for most > 0 {
		texts, page, err := p.page(ctx)
		if err != nil {
			return err
		}
		for i := range texts {
			most -= len(texts[i].Content)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(&texts[i], page); err != nil {
				return err
			}
		}
		if len(texts) == 0 {
			break
		}
	}
	return ctx.Err()
}

// matchAll reads all texts. After the first ones, two goroutines read pages in turns, each with
// a matcher of its own.
func matchAll[P comparable](ctx context.Context, q *Query, keep int, p *pager[P]) ([]*matcher, error) {
	one := newMatcher(q, keep, keepBytes/2)
	if err := p.each(ctx, ownBytes, one.read); err != nil || p.done {
		return []*matcher{one}, err
	}
	two := newMatcher(q, keep, keepBytes/2)
	var group sync.WaitGroup
	defer group.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var panicked any
	group.Go(func() {
		defer func() {
			if panicked = recover(); panicked != nil {
				stop(context.Canceled)
			}
		}()
		if err := p.each(ctx, math.MaxInt, two.read); err != nil {
			stop(err)
		}
	})
	if err := p.each(ctx, math.MaxInt, one.read); err != nil {
		stop(err)
	}
	group.Wait()
	if panicked != nil {
		panic(fmt.Errorf("searching: %v", panicked))
	}
	return []*matcher{one, two}, context.Cause(ctx)
}

func (c *counts) add(more counts) {
	c.passages += more.passages
	c.bytes += more.bytes
	c.matched += more.matched
	for i, n := range more.with {
		c.with[i] += n
	}
}

// excerpts sets the lines of the passages that were found, and drops those that have changed.
func (p *pager[P]) excerpts(ctx context.Context, s *scorer, best *top) (err error) {
	for i, f := range best.list {
		if f.match.shown {
			continue
		}
		texts := []Text{*f.match.in}
		if texts[0].Content == nil {
			if texts, _, err = p.pages(ctx, p.read[f.match.page]); err != nil {
				return err
			}
		}
		for j := range best.list[i:] {
			if other := &best.list[i+j]; other.match.page == f.match.page {
				s.excerpt(other, texts)
			}
		}
	}
	best.list = slices.DeleteFunc(best.list, func(f found) bool { return !f.match.shown })
	return nil
}

// excerpt sets the line of a passage, if one of the texts has it.
func (s *scorer) excerpt(f *found, texts []Text) {
	m := f.match
	for _, t := range texts {
		same := t.Agent == m.in.Agent && t.Path == m.in.Path && t.Entry == m.in.Entry && t.Time.Equal(m.in.Time) &&
			t.Version == m.in.Version
		if !same || m.at+m.size > len(t.Content) {
			continue
		}
		at, passage := m.at, t.Content[m.at:m.at+m.size]
		m.by.body.scan(passage)
		if len(m.by.body.seen) == 0 { // the path alone matches
			if head, end := firstHeading(&t); end > head {
				at, passage = head, t.Content[head:end]
			}
		}
		f.Line, f.Text, f.Marks = s.bestLine(m.by.body, passage, m.headEnd)
		f.Line = t.line(f.Line + bytes.Count(t.Content[:at], []byte("\n")))
		m.shown = true
	}
}

// check finds out whether a text is what was written.
func (t *Text) check() error {
	if t.Check == nil {
		return nil
	}
	return t.Check()
}

func (t *top) result(total int64) Result {
	r := Result{Hits: make([]Hit, len(t.list)), Total: total}
	for i, f := range t.list {
		r.Hits[i] = f.Hit
	}
	return r
}
