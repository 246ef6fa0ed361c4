package search

import (
	"context"
	"time"
)

// A Text is a file, or an entry of a log.
type Text struct {
	Path    string
	Entry   int64 // the number of the entry; 0: a file
	Time    time.Time
	Content []byte
	Check   func() error // nil, or says whether Content is what was written; called if it matches

	first bool // of its path
}

// A Hit is a passage, or a line of an exact search.
type Hit struct {
	Path  string
	Entry int64 // of a log; 0: of a file
	Line  int   // of the file or the entry, from 1
	Time  time.Time
	Score float64  // 0: of an exact search
	Text  string   // the line, at most MaxText characters of it, on one line
	Marks [][2]int // ranges of bytes of Text that match
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
	Total int64 // passages or lines that matched
}

// Pages returns the texts of a page, and the place of the next page. The first page is at
// the zero P, and a page with the next place zero is the last. All texts of a path come
// one after the other.
type Pages[P comparable] func(ctx context.Context, at P) (texts []Text, next P, err error)

// keepBytes is how many bytes of matched texts a search keeps, so that it need not read
// them again.
const (
	keepBytes = 3 << 20
	keptText  = 256 // bytes that a text takes besides its content
)

// Find returns the lines that match a pattern, in the order of path and line.
func Find[P comparable](ctx context.Context, p *Pattern, limit int, pages Pages[P]) (Result, error) {
	best := top{limit: limit, before: byPlace}
	var total int64
	err := each(ctx, pages, func(_ P, t *Text) error {
		n := p.lines(ctx, t, &best)
		total += n
		return t.check(n > 0)
	})
	return best.result(total), err
}

// Rank returns the passages that match a query, the best first.
func Rank[P comparable](ctx context.Context, q *Query, limit int, pages Pages[P]) (Result, error) {
	r := newRanker(q)
	best := top{limit: limit, before: byScore}
	var kept []Text
	var again []rest[P]
	room := keepBytes
	err := each(ctx, pages, func(at P, t *Text) error {
		matches := r.count(t)
		switch size := len(t.Content) + keptText; {
		case !matches || len(again) > 0 && again[len(again)-1].at == at:
		case size <= room:
			room -= size
			kept = append(kept, *t)
		default:
			again = append(again, rest[P]{at: at, path: t.Path, entry: t.Entry, first: t.first})
		}
		return t.check(matches)
	})
	if err != nil {
		return Result{}, err
	}
	r.weigh()
	for i := range kept {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		r.rank(&kept[i], &best)
	}
	kept = nil // free for the garbage collector
	for _, page := range again {
		if err := page.each(ctx, pages, func(t *Text) { r.rank(t, &best) }); err != nil {
			return Result{}, err
		}
	}
	return best.result(r.matched), nil
}

// each calls fn with each text and the place of its page.
func each[P comparable](ctx context.Context, pages Pages[P], fn func(P, *Text) error) error {
	var at, end P
	last := Text{Path: "/"} // no path is this
	for {
		texts, next, err := pages(ctx, at)
		if err != nil {
			return err
		}
		for i := range texts {
			t := &texts[i]
			t.first = t.Path != last.Path || t.Entry > 0 != (last.Entry > 0)
			last = Text{Path: t.Path, Entry: t.Entry}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(at, t); err != nil {
				return err
			}
		}
		if at = next; at == end {
			return ctx.Err()
		}
	}
}

// A rest is the texts of a page from one on. They have to be read again.
type rest[P comparable] struct {
	at    P
	path  string
	entry int64
	first bool
}

// each calls fn with the texts. The page may have changed meanwhile.
func (r rest[P]) each(ctx context.Context, pages Pages[P], fn func(*Text)) error {
	texts, _, err := pages(ctx, r.at)
	last := r.path
	for i := range texts {
		t := &texts[i]
		if t.Path < r.path || t.Path == r.path && t.Entry < r.entry {
			continue
		}
		t.first, last = t.Path != last || t.Path == r.path && t.Entry == r.entry && r.first, t.Path
		if err := ctx.Err(); err != nil {
			return err
		}
		fn(t)
	}
	return err
}

// check finds out whether a text that matches is what was written.
func (t *Text) check(matches bool) error {
	if !matches || t.Check == nil {
		return nil
	}
	return t.Check()
}

func (t *top) result(total int64) Result {
	r := Result{Hits: make([]Hit, len(t.list)), Total: total}
	for i, f := range t.list {
		r.Hits[i] = Hit{Path: f.path, Entry: f.entry, Line: f.line, Time: f.time, Score: f.score, Text: f.text, Marks: f.marks}
	}
	return r
}
