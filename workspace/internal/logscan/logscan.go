// Package logscan reads a log from its newest entry back, in bounded memory.
package logscan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxLimit = 100
	maxWord  = 1000      // bytes of what is looked for
	pageSize = 256 << 10 // bytes of a page with more than one entry

	scanEntries = 5000    // that a page looks at
	scanBytes   = 4 << 20 // the same in bytes of content

	atOnce      = 256       // entries, at most
	bytesAtOnce = 512 << 10 // of content, at most, but one entry at least
)

// Check refuses wrong queries. Errors: [store.ErrInvalid].
func Check(q inspect.LogQuery) error {
	switch {
	case q.Limit < 0 || q.Limit > maxLimit:
		return store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, q.Limit, maxLimit)
	case q.Before < 0:
		return store.Errorf(store.ErrInvalid, "before is %d, the least is 0", q.Before)
	case q.After < 0:
		return store.Errorf(store.ErrInvalid, "%s is %d, the least is 0", store.ArgAfter, q.After)
	case len(q.Author) > maxWord || len(q.Text) > maxWord:
		return store.Errorf(store.ErrInvalid, "what is looked for has more than %d bytes", maxWord)
	}
	return nil
}

// Read returns a page of a log. The query was checked.
func Read(r store.Reader, path string, q inspect.LogQuery) (inspect.LogView, error) {
	head, _, err := r.Log(path)
	if err != nil {
		return inspect.LogView{}, err
	}
	v := inspect.LogView{Path: path, Exists: head.Exists(), Last: head.Last}
	if !v.Exists {
		return v, nil
	}
	v.First, v.Bytes, v.Updated = head.First, head.Bytes, head.Updated
	s := newScan(r, path, head, q)
	for !s.full && s.next >= s.least && s.scanned < scanEntries && s.bytes < scanBytes {
		entries, err := s.read(s.most())
		if err != nil {
			return inspect.LogView{}, err
		}
		for _, e := range slices.Backward(entries) {
			if err := s.take(e); err != nil {
				return inspect.LogView{}, err
			}
			if s.full || s.bytes >= scanBytes {
				break
			}
		}
	}
	v.Entries, v.Scanned = s.found, s.scanned
	if s.next >= s.least {
		v.Next = s.next + 1
	}
	return v, nil
}

// A scan goes back through a log.
type scan struct {
	r            store.Reader
	path         string
	author, text string // in lower case
	limit        int

	next, least int64 // the entry to look at, and the last one
	step        int64 // how many entries are read at once
	bytes       int64 // that were looked at
	scanned     int64
	found       []store.Entry
	size        int64 // bytes of found
	full        bool
}

func newScan(r store.Reader, path string, head store.LogHead, q inspect.LogQuery) *scan {
	s := &scan{
		r: r, path: path, author: strings.ToLower(q.Author), text: strings.ToLower(q.Text), limit: q.Limit,
		next: head.Last, least: max(head.First, q.After+1), step: atOnce,
	}
	if s.limit == 0 {
		s.limit = maxLimit
	}
	if q.Before > 0 {
		s.next = min(s.next, q.Before-1)
	}
	return s
}

// most returns how many entries may be worth reading.
func (s *scan) most() int64 {
	if s.author == "" && s.text == "" {
		return int64(s.limit - len(s.found))
	}
	return scanEntries - s.scanned
}

// read returns the next entries, the oldest first, which end with s.next. A store gives the
// oldest ones where there is no room for all, so read tries fewer until all fit.
func (s *scan) read(most int64) ([]store.Entry, error) {
	for s.step = min(2*s.step, atOnce); ; s.step = (s.step + 1) / 2 {
		n := min(s.step, s.next-s.least+1, most)
		q := store.EntryQuery{After: s.next - n, Limit: int(n), MaxBytes: bytesAtOnce}
		entries, err := s.r.Entries(s.path, q)
		switch {
		case err != nil:
			return nil, err
		case len(entries) == 0 || entries[0].ID != s.next-n+1:
			return nil, store.Errorf(store.ErrCorrupt, "entry %d is missing", s.next-n+1)
		case entries[len(entries)-1].ID == s.next:
			return entries, nil
		case n == 1:
			return nil, store.Errorf(store.ErrCorrupt, "entry %d is missing", s.next)
		}
		s.step = n
	}
}

// take looks at an entry, unless the page has no room for it.
func (s *scan) take(e store.Entry) error {
	size := int64(len(e.Content))
	if s.matches(e) {
		if s.full = len(s.found) > 0 && s.size+size > pageSize; s.full {
			return nil
		}
		if err := verify.Entry(e); err != nil {
			return err
		}
		s.found = append(s.found, e)
		s.size += size
		s.full = len(s.found) == s.limit
	}
	s.next, s.bytes, s.scanned = e.ID-1, s.bytes+size, s.scanned+1
	return nil
}

func (s *scan) matches(e store.Entry) bool {
	if s.author != "" {
		a := e.Author
		if !strings.Contains(strings.ToLower(a.Client+" "+a.Version+" "+a.Key), s.author) {
			return false
		}
	}
	return s.text == "" || bytes.Contains(bytes.ToLower(e.Content), []byte(s.text))
}
