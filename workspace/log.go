package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/floors"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/nearest"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
)

// AppendOptions of [Workspace.AppendLogWith].
type AppendOptions struct {
	IdempotencyKey string // as in WriteOptions
}

// AppendResult says what an append stored.
type AppendResult struct {
	Path  string
	First int64 // number of the first entry that was appended
	Last  int64 // of the last one
	Bytes int64 // of all of them
}

// AppendLog appends entries to a log, all of them or none, with consecutive numbers. It
// creates the log if there is none. An entry is UTF-8 text. There must be one entry at
// least. Errors: [ErrTooLarge], [ErrQuota].
func (w *Workspace) AppendLog(ctx context.Context, path string, entries ...[]byte) (AppendResult, error) {
	return w.AppendLogWith(ctx, path, AppendOptions{}, entries...)
}

// AppendLogWith is [Workspace.AppendLog] with options.
func (w *Workspace) AppendLogWith(ctx context.Context, path string, o AppendOptions, entries ...[]byte) (AppendResult, error) {
	const op = "append to"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return AppendResult{}, err
	}
	if len(entries) == 0 {
		return AppendResult{}, fail(ErrInvalid, op, path, "there is no entry to append")
	}
	for i, e := range entries {
		object := path
		if len(entries) > 1 {
			object = fmt.Sprintf("%s, entry %d", path, i+1)
		}
		if err := w.svc.limits.checkText(op, object, e, EntrySize); err != nil {
			return AppendResult{}, err
		}
	}
	a, err := w.newAttempt(op, p.name, o.IdempotencyKey, entries...)
	if err != nil {
		return AppendResult{}, err
	}
	added := make([]Entry, len(entries))
	for i, e := range entries {
		added[i] = w.newEntry(bytes.Clone(e))
	}
	out, err := w.commit(ctx, a, Query{Log: p.name}, w.addEntries(a, added))
	if err != nil {
		return AppendResult{}, within(op, path, err)
	}
	return AppendResult{Path: p.name, First: out.Number - out.Count + 1, Last: out.Number, Bytes: out.Bytes}, nil
}

// newEntry returns an entry that is not numbered yet.
func (w *Workspace) newEntry(content []byte) Entry {
	return Entry{SHA256: sha256.Sum256(content), Author: stored(w.author), Content: content}
}

// addEntries returns the function of a transaction that adds entries to a log.
func (w *Workspace) addEntries(a *attempt, added []Entry) writeFunc {
	return func(tx Tx, l Loaded) (Outcome, error) { return w.saveEntries(tx, a, l.Log, l.Owner, added) }
}

// saveEntries numbers the entries and adds them to the log.
func (w *Workspace) saveEntries(tx Tx, a *attempt, head LogHead, state OwnerState, added []Entry) (Outcome, error) {
	if state == (OwnerState{}) && head.Last > 0 {
		return Outcome{}, errNoOwner
	}
	before := state
	floors.Begin(&state, a.floor)
	c := Change{Op: OpAppend, Kind: KindLog, Path: head.Path, Before: head.Last, Entries: int64(len(added))}
	if !head.Exists() {
		c.Before = 0
		state.Logs++
		if head.Deleted {
			state.DeletedLogs--
		} else {
			head.Last = max(state.LogFloor, added[0].ID-1) // imported entries have numbers
		}
		head.Deleted, head.Bytes, head.First, head.Created = false, 0, head.Last+1, time.Time{}
	}
	now := a.now
	if now.Before(head.Updated) {
		now = head.Updated
	}
	entries := slices.Clone(added) // the function may run again
	var size int64
	for i := range entries {
		head.Last++
		if entries[i].ID = head.Last; entries[i].Time.IsZero() { // imported entries have times
			entries[i].Time = now
		}
		size += int64(len(entries[i].Content))
	}
	if head.Created.IsZero() {
		head.Created = entries[0].Time
	}
	if last := entries[len(entries)-1].Time; last.After(head.Updated) {
		head.Updated = last
	}
	head.Bytes += size
	state.Bytes += size
	state.Entries += int64(len(entries))
	out := Outcome{Number: head.Last, Count: int64(len(entries)), Bytes: size}
	c.After, c.Time = head.Last, now
	if err := w.settle(tx, a, before, &state, out, &c); err != nil {
		return Outcome{}, err
	}
	return out, tx.SaveLog(LogChange{Head: head, New: entries, Change: c, Owner: state})
}

// ReadLogOptions of [Workspace.ReadLog]. The zero value reads the first page.
type ReadLogOptions struct {
	Since int64 // the cursor: returns the entries after this number; 0: from the first
	Limit int   // entries at most, 1-100; 0: 100
	Tail  int   // returns the last N entries, 1-100; excludes Since and Limit; 0: off
	Zeros []Arg // as in ReadOptions
}

// given reports whether an argument was given.
func (o ReadLogOptions) given(arg Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

// LogPage is a page of a log.
type LogPage struct {
	Path    string
	Exists  bool
	IsFile  bool    // the log does not exist, but a file of its name does
	Nearest string  // if the log does not exist: the agent's log with the most similar name; "": none is near, or IsFile
	Entries []Entry // the oldest first; at most 100 and 256 KiB as JSON, but one at least
	Total   int64   // entries after the cursor, with those of the page; with Tail: entries older than the page
	Last    int64   // the cursor for the next call; without entries, the cursor of this one
	More    bool    // there are entries after the page; with Tail: before it
	Removed int64   // the last entry after the cursor that was removed; 0: none was, there is no cursor, or Tail
}

const (
	opReadLog = "read log"

	pageEntries = 100
	pageBytes   = 256 << 10 // of a page of entries as JSON
)

// ReadLog returns a page of a log, the oldest entries first. It is no error if the log
// does not exist: the page is empty.
func (w *Workspace) ReadLog(ctx context.Context, path string, o ReadLogOptions) (LogPage, error) {
	const op = opReadLog
	p, err := w.start(ctx, op, path)
	if err != nil {
		return LogPage{}, err
	}
	if err := o.check(op, path); err != nil {
		return LogPage{}, err
	}
	q := EntryQuery{After: o.Since, Limit: o.Limit, MaxBytes: pageBytes}
	if q.Limit == 0 {
		q.Limit = pageEntries
	}
	if o.Tail > 0 {
		q.Tail, q.Limit = true, o.Tail
	}
	l, err := w.load(ctx, Query{Log: p.name, Entries: &q})
	if err == nil {
		err = verify.Page(l.Log, l.Entries, q)
	}
	for _, e := range l.Entries {
		if err == nil {
			err = verify.Entry(e)
		}
	}
	if w.counted(err) != nil {
		return LogPage{}, within(op, path, err)
	}
	page := logPage(p.name, l.Log, fit.Page(l.Entries, pageBytes, q.Tail, func(e Entry) int { return fit.EntryJSONSize(e.Content) }), q)
	if !page.Exists {
		if page.IsFile = w.has(ctx, p, nearest.IsFile); !page.IsFile {
			page.Nearest = w.nearest(ctx, p, nearest.Log)
		}
	}
	return page, nil
}

// AppendLines appends a line of JSON for each entry, with line feeds between them: its
// number, the whole seconds after the first entry of the page, and its text. As JSON, an
// entry cannot look like two.
func (p LogPage) AppendLines(body []byte) []byte { return changes.AppendLines(body, p.Entries) }

func (o ReadLogOptions) check(op, path string) error {
	if err := checkNumber(op, path, ArgSinceEntry, o.Since, 0); err != nil {
		return err
	}
	tail, limit := o.given(ArgTail, int64(o.Tail)), o.given(ArgLimit, int64(o.Limit))
	switch {
	case tail && o.given(ArgSinceEntry, o.Since):
		return fail(ErrInvalid, op, path, "%s and %s exclude each other", ArgTail, ArgSinceEntry)
	case tail && limit:
		return fail(ErrInvalid, op, path, "%s and %s exclude each other", ArgTail, ArgLimit)
	case tail && (o.Tail < 1 || o.Tail > pageEntries):
		return fail(ErrInvalid, op, path, "%s is %d, allowed are 1-%d", ArgTail, o.Tail, pageEntries)
	case limit && (o.Limit < 1 || o.Limit > pageEntries):
		return fail(ErrInvalid, op, path, "%s is %d, allowed are 1-%d", ArgLimit, o.Limit, pageEntries)
	}
	return nil
}

// logPage returns a page with what is before and after its entries.
func logPage(path string, head LogHead, entries []Entry, q EntryQuery) LogPage {
	page := LogPage{Path: path, Exists: head.Exists(), Entries: entries, Last: q.After}
	if !page.Exists {
		return page
	}
	if n := len(entries); n > 0 {
		page.Last = entries[n-1].ID
	}
	if q.Tail {
		page.Last = head.Last
		page.Total = head.Entries() - int64(len(entries))
		page.More = page.Total > 0
		return page
	}
	if q.After > 0 && q.After < head.First-1 {
		page.Removed = head.First - 1
	}
	page.Total = max(0, head.Last-max(q.After, head.First-1))
	page.More = page.Total > int64(len(entries))
	return page
}
