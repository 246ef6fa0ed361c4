package search

import (
	"context"
	"time"
)

// A Text is a file, or an entry of a log.
type Text struct {
	Agent   string // whose it is, where a search is over several; else ""
	Path    string
	Entry   int64 // the number of the entry; 0: a file
	Time    time.Time
	Content []byte
	Check   func() error // nil, or says whether Content is what was written; called if it matches

	first bool // of its path
}

// A Hit is a passage, or a line of an exact search.
type Hit struct {
	Agent string // as in Text
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

// Find returns the lines that match a pattern, in the order of path and line.
func Find[P comparable](ctx context.Context, p *Pattern, limit int, pages Pages[P]) (Result, error) {
	best := top{limit: limit, before: byPlace}
	var total int64
	err := each(ctx, pages, func(_ P, texts []Text) error {
		for i := range texts {
			n := p.lines(ctx, &texts[i], &best)
			total += n
			if err := texts[i].check(n > 0); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return best.result(total), err
}

// each calls fn with each page.
func each[P comparable](ctx context.Context, pages Pages[P], fn func(at P, texts []Text) error) error {
	var at, end P
	last := Text{Path: "/"} // no path is this
	for {
		texts, next, err := pages(ctx, at)
		if err != nil {
			return err
		}
		for i := range texts {
			t := &texts[i]
			t.first = t.Path != last.Path || t.Entry > 0 != (last.Entry > 0) || t.Agent != last.Agent
			last = Text{Agent: t.Agent, Path: t.Path, Entry: t.Entry}
		}
		if err := fn(at, texts); err != nil {
			return err
		}
		if at = next; at == end {
			return ctx.Err()
		}
	}
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
		r.Hits[i] = Hit{Agent: f.agent, Path: f.path, Entry: f.entry, Line: f.line, Time: f.time, Score: f.score,
			Text: f.text, Marks: f.marks}
	}
	return r
}
