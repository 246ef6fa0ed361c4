package summaries

import (
	"context"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	listFiles   = 50   // with summaries, of a page
	listLooks   = 1000 // files that a page looks at
	headsAtOnce = 200
)

// List returns a page of the summaries that are kept. Errors: [store.ErrInvalid].
func List(r store.Reader, q inspect.SummariesQuery) (inspect.SummaryPage, error) {
	if q.Limit < 0 || q.Limit > listFiles {
		return inspect.SummaryPage{}, store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit,
			q.Limit, listFiles)
	}
	if q.Limit == 0 {
		q.Limit = listFiles
	}
	var page inspect.SummaryPage
	if q.Path != "" {
		err := textsOf(r, q.Path, &page)
		return page, err
	}
	files := 0
	for looked := 0; looked < listLooks; looked += headsAtOnce {
		list, err := r.Scan(store.ScanQuery{Kind: store.KindFile, After: q.After, Limit: headsAtOnce})
		if err != nil {
			return inspect.SummaryPage{}, err
		}
		for _, h := range list.Files {
			if h.Summary > 0 {
				if files == q.Limit {
					page.Next = q.After
					return page, nil
				}
				files++
				if err := listOf(r, h.FileHead, &page); err != nil {
					return inspect.SummaryPage{}, err
				}
			}
			q.After = h.Path
		}
		if !list.More {
			return page, nil
		}
	}
	page.Next = q.After
	return page, nil
}

// listOf adds the summaries of a file to a page.
func listOf(r store.Reader, h store.FileHead, page *inspect.SummaryPage) error {
	list, err := r.Summaries(h.Path)
	for _, s := range list {
		page.Summaries = append(page.Summaries, inspect.SummaryInfo{
			Path: h.Path, Version: s.Version, Current: h.Version, Bytes: h.Size(),
			Method: s.Method, Model: s.Model, Prompt: s.Prompt, Tokens: s.Tokens, Time: s.Time,
		})
	}
	return err
}

// textsOf adds the summaries of a file to a page, with their texts.
func textsOf(r store.Reader, path string, page *inspect.SummaryPage) error {
	l, err := r.Load(store.Query{File: path})
	if err != nil || l.File.Summary == 0 {
		return err
	}
	if err := listOf(r, l.File, page); err != nil {
		return err
	}
	for i := range page.Summaries {
		s := &page.Summaries[i]
		key := store.SummaryKey{Version: s.Version, Method: s.Method, Model: s.Model, Prompt: s.Prompt}
		l, err := r.Load(store.Query{File: path, Summary: &key})
		if err != nil {
			return err
		}
		kept := l.Summary
		if kept == nil || !verify.IsIntact(*kept) {
			return store.Errorf(store.ErrCorrupt, "the summary of %s is not what was written", path)
		}
		s.Text = string(kept.Content)
	}
	return nil
}

// Spent returns what an account has spent in the present month. Errors: [DamagedError] and
// those of the records.
func (m *Maker[R]) Spent(ctx context.Context, account string) (inspect.SummarySpend, error) {
	key, now := m.budget.key(account), m.now().UTC()
	s := inspect.SummarySpend{Month: time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), Limit: m.budget.limit}
	r, err := records.Get(m.system(ctx), key)
	if err != nil || r.Revision == 0 {
		return s, err
	}
	if s.Tokens, err = strconv.ParseInt(string(r.Value), 10, 64); err != nil {
		return s, &DamagedError{Key: key}
	}
	return s, nil
}
