package workspace

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A LogQuery selects entries of a log, from the newest to the oldest. The zero value selects
// the newest page.
type LogQuery struct {
	Before int64  // Next of the page before: only entries with lower numbers; 0: from the newest
	After  int64  // only entries with higher numbers; 0: down to the oldest
	Author string // a part of the author's "client version key", in upper or lower case, at most 1,000 bytes; "": any
	Text   string // a part of the entry, in upper or lower case, at most 1,000 bytes; "": any
	Limit  int    // entries at most, 1-100; 0: 100
}

// A LogView is a page of a log. All of it comes from one snapshot.
type LogView struct {
	Path   string
	Exists bool

	// Entries are the newest first. A page has at most Limit entries and 256 KiB of content,
	// but a single entry may be larger. One page looks at about 5,000 entries and 4 MiB of
	// content at most. So with Author or Text, a page may have few entries or none although
	// Next is set.
	Entries []store.Entry

	Next    int64 // for LogQuery.Before; 0: there are no older entries
	Scanned int64 // number of entries that the page looked at

	First, Last int64 // numbers of the first and the last entry; of a deleted log, First is 0 and Last stays
	Bytes       int64 // of all entries of the log
	Updated     time.Time
}

const (
	maxLogPage   = 100
	maxLogWord   = 1000      // bytes of what is looked for
	logPageBytes = 256 << 10 // bytes of a page with more than one entry

	scanEntries = 5000    // that a page looks at
	scanBytes   = 4 << 20 // the same in bytes of content

	entriesAtOnce = 256       // entries, at most
	bytesAtOnce   = 512 << 10 // of content, at most, but one entry at least
)

// checkLogQuery refuses wrong queries, and sets the limit. Errors: [ErrInvalid].
func checkLogQuery(q *LogQuery) error {
	switch {
	case q.Before < 0:
		return Errorf(ErrInvalid, "before is %d, the least is 0", q.Before)
	case q.After < 0:
		return Errorf(ErrInvalid, "%s is %d, the least is 0", store.ArgAfter, q.After)
	case len(q.Author) > maxLogWord || len(q.Text) > maxLogWord:
		return Errorf(ErrInvalid, "what is looked for has more than %d bytes", maxLogWord)
	}
	return setLimit(&q.Limit, maxLogPage, maxLogPage)
}

// readBack returns a page of a log. The query was checked.
func readBack(r store.Reader, path string, q LogQuery) (LogView, error) {
	l, err := r.Load(store.Query{Log: path})
	if err != nil {
		return LogView{}, err
	}
	head := l.Log
	v := LogView{Path: path, Exists: head.Exists(), Last: head.Last}
	if !v.Exists {
		return v, nil
	}
	v.First, v.Bytes, v.Updated = head.First, head.Bytes, head.Updated
	s := newLogScan(r, path, head, q)
	for !s.full && s.next >= s.least && s.scanned < scanEntries && s.bytes < scanBytes {
		entries, err := s.read()
		if err != nil {
			return LogView{}, err
		}
		for _, e := range slices.Backward(entries) {
			if err := s.take(e); err != nil {
				return LogView{}, err
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

// A logScan goes back through a log.
type logScan struct {
	r            store.Reader
	path         string
	author, text string // in lower case
	limit        int

	next, least int64 // the entry to look at, and the last one
	bytes       int64 // that were looked at
	scanned     int64
	found       []Entry
	size        int64 // bytes of found
	full        bool
}

func newLogScan(r store.Reader, path string, head store.LogHead, q LogQuery) *logScan {
	s := &logScan{
		r: r, path: path, author: strings.ToLower(q.Author), text: strings.ToLower(q.Text), limit: q.Limit,
		next: head.Last, least: max(head.First, q.After+1),
	}
	if q.Before > 0 {
		s.next = min(s.next, q.Before-1)
	}
	return s
}

// read returns the next entries, the oldest first, which end with s.next. A store gives the
// oldest ones where there is no room for all, so read tries fewer until all fit.
func (s *logScan) read() ([]Entry, error) {
	most := scanEntries - s.scanned
	if s.author == "" && s.text == "" {
		most = int64(s.limit - len(s.found)) // all match
	}
	for n := min(entriesAtOnce, s.next-s.least+1, most); ; n = (n + 1) / 2 {
		q := store.EntryQuery{After: s.next - n, Limit: int(n), MaxBytes: bytesAtOnce}
		entries, err := s.r.Entries(s.path, q)
		switch {
		case err != nil:
			return nil, err
		case len(entries) == 0 || entries[0].ID != s.next-n+1:
			return nil, Errorf(ErrCorrupt, "entry %d is missing", s.next-n+1)
		case entries[len(entries)-1].ID == s.next:
			return entries, nil
		case n == 1:
			return nil, Errorf(ErrCorrupt, "entry %d is missing", s.next)
		}
	}
}

// take looks at an entry, unless the page has no room for it.
func (s *logScan) take(e Entry) error {
	size := int64(len(e.Content))
	if s.matches(e) {
		if s.full = len(s.found) > 0 && s.size+size > logPageBytes; s.full {
			return nil
		}
		if err := e.Verify(); err != nil {
			return err
		}
		s.found = append(s.found, e)
		s.size += size
		s.full = len(s.found) == s.limit
	}
	s.next, s.bytes, s.scanned = e.ID-1, s.bytes+size, s.scanned+1
	return nil
}

func (s *logScan) matches(e Entry) bool {
	if s.author != "" {
		a := e.Author
		if !strings.Contains(strings.ToLower(a.Client+" "+a.Version+" "+a.Key), s.author) {
			return false
		}
	}
	return s.text == "" || bytes.Contains(bytes.ToLower(e.Content), []byte(s.text))
}
