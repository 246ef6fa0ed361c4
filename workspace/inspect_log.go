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

	Next int64 // for LogQuery.Before; 0: there are no older entries

	First, Last int64 // numbers of the first and the last entry; of a deleted log, First is 0 and Last stays
	Bytes       int64 // of all entries of the log
	Updated     time.Time
}

const (
	maxLogPage   = 100
	maxLogWord   = 1000      // bytes of what is looked for
	logPageBytes = 256 << 10 // bytes of a page with more than one entry

	scanEntries = 5000    // that a page looks at, or a few more
	scanBytes   = 4 << 20 // the same in bytes of content
	bytesAtOnce = 2 << 20 // of content that are read in one go
)

// checkLogQuery refuses wrong queries, sets the limit, and puts what is looked for into lower case.
// Errors: [ErrInvalid].
func checkLogQuery(q *LogQuery) error {
	switch {
	case q.Before < 0:
		return Errorf(ErrInvalid, "before is %d, the least is 0", q.Before)
	case q.After < 0:
		return Errorf(ErrInvalid, "%s is %d, the least is 0", store.ArgAfter, q.After)
	case len(q.Author) > maxLogWord || len(q.Text) > maxLogWord:
		return Errorf(ErrInvalid, "what is looked for has more than %d bytes", maxLogWord)
	}
	q.Author, q.Text = strings.ToLower(q.Author), strings.ToLower(q.Text)
	return setLimit(&q.Limit, maxLogPage, maxLogPage)
}

// readBack returns a page of a log. The query was checked. atOnce is how many entries are read in
// one go.
func readBack(r store.Reader, path string, q LogQuery, atOnce int64) (v LogView, err error) {
	l, err := r.Load(store.Query{Log: path})
	if err != nil {
		return v, err
	}
	head := l.Log
	v = LogView{Path: path, Exists: head.Exists(), Last: head.Last}
	if !v.Exists {
		return v, nil
	}
	v.First, v.Bytes, v.Updated = head.First, head.Bytes, head.Updated
	next, least := head.Last, max(head.First, q.After+1) // the entry to look at, and the last one
	if q.Before > 0 {
		next = min(next, q.Before-1)
	}
	if q.Author == "" && q.Text == "" {
		atOnce = min(atOnce, int64(q.Limit)) // all match
	}
	size, scanned, looked := int64(0), int64(0), int64(0) // looked in bytes
	for next >= least && len(v.Entries) < q.Limit && scanned < scanEntries && looked < scanBytes {
		n := min(atOnce, next-least+1)
		entries, err := r.Entries(path, store.EntryQuery{After: next - n, Limit: int(n)})
		if err != nil {
			return v, err
		}
		if int64(len(entries)) != n || entries[0].ID != next-n+1 {
			return v, Errorf(ErrCorrupt, "an entry is missing of those from %d to %d", next-n+1, next)
		}
		for _, e := range slices.Backward(entries) {
			length := int64(len(e.Content))
			if q.matches(e) {
				if len(v.Entries) == q.Limit || len(v.Entries) > 0 && size+length > logPageBytes {
					v.Next = e.ID + 1
					return v, nil
				}
				if err := e.Verify(); err != nil {
					return v, err
				}
				v.Entries, size = append(v.Entries, e), size+length
			}
			next, scanned, looked = e.ID-1, scanned+1, looked+length
		}
	}
	if next >= least {
		v.Next = next + 1
	}
	return v, nil
}

// matches reports whether a query, which was checked, selects an entry.
func (q LogQuery) matches(e Entry) bool {
	return matchesAuthor(e.Author, q.Author) &&
		(q.Text == "" || bytes.Contains(bytes.ToLower(e.Content), []byte(q.Text)))
}

// matchesAuthor reports whether an author has a part, which is in lower case.
func matchesAuthor(a Author, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(a.Client+" "+a.Version+" "+a.Key), part)
}
