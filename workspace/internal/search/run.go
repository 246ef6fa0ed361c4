package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
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

	first bool // of its path
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
	Text    string   // the line, at most MaxText characters of it, on one line
	Marks   [][2]int // ranges of bytes of Text that match
}

// hit returns a hit in a text, without a line.
func (t *Text) hit() Hit {
	return Hit{Agent: t.Agent, Path: t.Path, Entry: t.Entry, Version: t.Version, Deleted: t.Deleted, Time: t.Time}
}

// check finds out whether a text is what was written.
func (t *Text) check() error {
	if t.Check == nil {
		return nil
	}
	return t.Check()
}

// A Result is what was found.
type Result struct {
	Hits  []Hit
	Total int64    // passages or lines that matched
	Near  []string // if nothing did: words of the texts that are like those of the query
}

// Pages returns the texts of a page, and the place of the next page. The first page is at the
// place nil, and a page with the next place nil is the last. All texts of a path come one after
// the other.
type Pages func(ctx context.Context, at any) (texts []Text, next any, err error)

// keepBytes is how much of the matched texts a search keeps, so that it need not read them again.
const keepBytes = 2 << 20

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
func Rank(ctx context.Context, q *Query, w Window, pages Pages) (Result, error) {
	p := &pager{pages: pages}
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
		for _, m := range r.matches {
			m.score = scorer.score(m)
			best.offer(m)
		}
	}
	best.skip(w.After)
	if err := p.excerpts(ctx, scorer, &best); err != nil {
		return Result{}, err
	}
	r := best.result(all.matched)
	if all.matched == 0 {
		r.Near, err = near(ctx, q, &pager{pages: pages})
	}
	return r, err
}

// Find returns the lines that match a pattern, in the order of path and line.
func Find(ctx context.Context, pattern *Pattern, w Window, pages Pages) (Result, error) {
	best := top{limit: w.end(), order: byPlace}
	var total int64
	p := &pager{pages: pages}
	err := p.each(ctx, math.MaxInt, func(t *Text, _ int) error {
		n, err := pattern.lines(ctx, t, &best)
		total += n
		return err
	})
	best.skip(w.After)
	return best.result(total), err
}

// A pager reads the pages of a search. It is safe for concurrent use.
type pager struct {
	pages Pages

	mu   sync.Mutex // guards the following
	read []any      // the places of the pages that were read
	next any        // the place of the next page
	last Text       // without its content
	done bool       // there is no next page
}

// page reads the next page. There are no texts after the last one.
func (p *pager) page(ctx context.Context) (texts []Text, number int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.done && len(texts) == 0 && err == nil {
		at := p.next
		texts, p.next, err = p.pages(ctx, at)
		p.read = append(p.read, at)
		p.done = p.next == nil
	}
	for i := range texts {
		t := &texts[i]
		t.first = t.Path != p.last.Path || t.Entry > 0 != (p.last.Entry > 0) || t.Agent != p.last.Agent
		p.last = Text{Agent: t.Agent, Path: t.Path, Entry: t.Entry}
	}
	return texts, len(p.read) - 1, err
}

// each calls fn with each text and the number of its page, until there were so many bytes.
func (p *pager) each(ctx context.Context, most int, fn func(t *Text, page int) error) error {
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
			if err := fn(&texts[i], page); err != nil && err != errLeftOut {
				return err
			}
		}
		if len(texts) == 0 {
			break
		}
	}
	return ctx.Err()
}

var errPanic = errors.New("searching")

// matchAll reads all texts. Two goroutines read pages in turns, each with a matcher of its own. If
// one panics, matchAll does.
func matchAll(ctx context.Context, q *Query, keep int, p *pager) ([]*matcher, error) {
	matchers := []*matcher{newMatcher(q, keep), newMatcher(q, keep)}
	group, ctx := errgroup.WithContext(ctx)
	for _, m := range matchers {
		group.Go(func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("%w: %v", errPanic, r)
				}
			}()
			return p.each(ctx, math.MaxInt, m.read)
		})
	}
	err := group.Wait()
	if errors.Is(err, errPanic) {
		panic(err)
	}
	return matchers, err
}

// excerpts sets the lines of the passages that were found, and drops those that have changed.
func (p *pager) excerpts(ctx context.Context, s *scorer, best *top) error {
	for i, m := range best.list {
		if m.Line > 0 {
			continue
		}
		if m.content != nil {
			s.excerpt(m, m.content)
			continue
		}
		texts, _, err := p.pages(ctx, p.read[m.page])
		if err != nil {
			return err
		}
		for _, t := range texts {
			for _, other := range best.list[i:] {
				if other.page == m.page && other.isIn(&t) {
					s.excerpt(other, t.Content)
				}
			}
		}
	}
	best.list = slices.DeleteFunc(best.list, func(m *match) bool { return m.Line == 0 })
	return nil
}

// isIn reports whether a match is in a text that was read again.
func (m *match) isIn(t *Text) bool {
	return t.Agent == m.Agent && t.Path == m.Path && t.Entry == m.Entry && t.Version == m.Version &&
		t.Time.Equal(m.Time) && m.at+m.size <= len(t.Content)
}

// excerpt sets the line of a passage in a text.
func (s *scorer) excerpt(m *match, text []byte) {
	at, passage := m.at, text[m.at:m.at+m.size]
	m.by.body.scan(passage)
	if len(m.by.body.seen) == 0 { // the path alone matches
		if head, end := firstHeading(&Text{Path: m.Path, Entry: m.Entry, Content: text}); end > head {
			at, passage = head, text[head:end]
		}
	}
	m.Line, m.Text, m.Marks = s.bestLine(m.by.body, passage, m.headEnd)
	m.Line += bytes.Count(text[:at], []byte("\n")) + 1
}
