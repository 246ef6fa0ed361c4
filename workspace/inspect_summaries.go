package workspace

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A SummariesQuery selects stored summaries of an agent's files. The zero value selects the
// first page.
type SummariesQuery struct {
	Path  string // selects all summaries of this file, with their texts; "": of all files, without texts
	After string // Next of the page before; "": the first page
}

// A SummaryPage is a page of summaries, in byte order of path, and then of version, method,
// model and prompt. All of it comes from one snapshot.
type SummaryPage struct {
	// Summaries are all stored summaries of the files of the page. One page looks at 1,000
	// files. So a page may have few summaries or none although Next is set.
	Summaries []SummaryInfo

	Next string // a path, for SummariesQuery.After; "": there are no more summaries
}

// A SummaryInfo is a stored summary of a file. Each write to a file removes its summaries. So
// Version equals Current, unless the summary comes from a copy that was restored.
type SummaryInfo struct {
	Path    string
	Current int64 // the current version of the file
	Bytes   int64 // of the current version of the file

	store.Summary // has Content only with SummariesQuery.Path
}

// SummarySpend is how many tokens the summaries of an agent have cost in the present month.
type SummarySpend struct {
	Month  time.Time // the first moment of the month, in UTC
	Tokens int64     // read and written by models, or reserved for summaries that are being made
	Limit  int64     // tokens; 0: no limit
}

const summaryLooks = 1000 // files that a page looks at

// listSummaries returns a page of the summaries that are kept.
func listSummaries(r store.Reader, q SummariesQuery) (page SummaryPage, err error) {
	if q.Path != "" {
		l, err := r.Load(store.Query{File: q.Path})
		if err == nil && l.File.Summary > 0 {
			err = addSummaries(r, l.File, q, &page)
		}
		return page, err
	}
	list, err := r.Scan(store.ScanQuery{Kind: KindFile, After: q.After, Limit: summaryLooks})
	for _, h := range list.Files {
		if h.Summary > 0 && err == nil {
			err = addSummaries(r, h.FileHead, q, &page)
		}
		if list.More {
			page.Next = h.Path
		}
	}
	return page, err
}

// addSummaries adds the summaries of a file to a page.
func addSummaries(r store.Reader, h store.FileHead, q SummariesQuery, page *SummaryPage) error {
	list, err := r.Summaries(h.Path)
	for _, s := range list {
		if q.Path != "" {
			l, err := r.Load(store.Query{File: h.Path, Summary: &s.SummaryKey})
			switch {
			case err != nil:
				return err
			case l.Summary == nil || !l.Summary.IsIntact():
				return Errorf(ErrCorrupt, "the summary of %s is not what was written", h.Path)
			}
			s = *l.Summary
		}
		page.Summaries = append(page.Summaries, SummaryInfo{h.Path, h.Version, h.Size(), s})
	}
	return err
}
