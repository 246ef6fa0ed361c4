package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
func (w *Workspace) AppendLogWith(
	ctx context.Context, path string, o AppendOptions, entries ...[]byte,
) (AppendResult, error) {
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
	out, err := w.commit(ctx, a, store.Query{Log: p.name}, w.addEntries(a, added))
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
	return func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
		return w.saveEntries(tx, a, l.Log, l.Owner, added)
	}
}

// saveEntries numbers the entries and adds them to the log.
func (w *Workspace) saveEntries(tx store.Tx, a *attempt, head store.LogHead, state store.OwnerState,
	added []Entry) (store.Outcome, error) {
	if state == (store.OwnerState{}) && head.Last > 0 {
		return store.Outcome{}, errNoOwner
	}
	before := state
	a.floor.Begin(&state)
	c, out := addedTo(head, state, added, a.now)
	if err := w.settle(tx, a, before, &c.Owner, out, &c.Change); err != nil {
		return store.Outcome{}, err
	}
	return out, tx.Apply(c)
}

// ReadLogOptions of [Workspace.ReadLog]. The zero value reads the first page.
type ReadLogOptions struct {
	Since int64 // the cursor: returns the entries after this number; 0: from the first
	Limit int   // entries at most, 1-100; 0: 100
	Tail  int   // returns the last N entries, 1-100; excludes Since and Limit; 0: off
	Zeros []Arg // as in ReadOptions
}

// LogPage is a page of a log.
type LogPage struct {
	Path   string
	Exists bool
	IsFile bool // the log does not exist, but a file of its name does
	// Nearest is the agent's log with the most similar name, if the log does not exist. "": none
	// is near, or IsFile.
	Nearest string
	Entries []Entry // the oldest first; at most 100 and 256 KiB as JSON, but one at least
	Total   int64   // entries after the cursor, with those of the page; with Tail: entries older than the page
	Last    int64   // the cursor for the next call; without entries, the cursor of this one
	More    bool    // there are entries after the page; with Tail: before it
	Removed int64   // the last entry after the cursor that was removed; 0: none was, there is no cursor, or Tail
}

const opReadLog = "read log"

// ReadLog returns a page of a log, the oldest entries first. It is no error if the log
// does not exist: the page is empty.
func (w *Workspace) ReadLog(ctx context.Context, path string, o ReadLogOptions) (LogPage, error) {
	const op = opReadLog
	p, err := w.start(ctx, op, path)
	if err != nil {
		return LogPage{}, err
	}
	q, err := o.query(op, path)
	if err != nil {
		return LogPage{}, err
	}
	l, err := w.load(ctx, store.Query{Log: p.name, Entries: &q})
	if err == nil {
		err = verifyEntries(l, q)
	}
	err = w.counted(err)
	if err != nil {
		return LogPage{}, within(op, path, err)
	}
	page := logPageOf(p.name, l, q)
	if !page.Exists {
		if page.IsFile = w.has(ctx, p, isFile); !page.IsFile {
			page.Nearest = w.nearest(ctx, p, nearestLog)
		}
	}
	return page, nil
}

// AppendLines appends a line of JSON for each entry, with line feeds between them: its
// number, the whole seconds after the first entry of the page, and its text. As JSON, an
// entry cannot look like two.
func (p LogPage) AppendLines(body []byte) []byte { return changes.AppendLines(body, p.Entries) }

// addedTo returns the change of a log to which entries are added, and its outcome. It numbers
// the entries, counts them in the owner's state, and gives those without a time the time
// now. An entry that is imported has a number, which a new log keeps. added is not
// changed: a transaction may run again.
func addedTo(
	head store.LogHead, state store.OwnerState, added []Entry, now time.Time,
) (store.LogChange, store.Outcome) {
	c := Change{Op: OpAppend, Kind: KindLog, Path: head.Path, Before: head.Last, Entries: int64(len(added))}
	if !head.Exists() {
		c.Before = 0
		state.Logs++
		if head.Deleted {
			state.DeletedLogs--
		} else {
			head.Last = max(state.LogFloor, added[0].ID-1)
		}
		head.Deleted, head.Bytes, head.First, head.Created = false, 0, head.Last+1, time.Time{}
	}
	if now.Before(head.Updated) {
		now = head.Updated
	}
	added = slices.Clone(added)
	var size int64
	for i := range added {
		head.Last++
		if added[i].ID = head.Last; added[i].Time.IsZero() {
			added[i].Time = now
		}
		size += int64(len(added[i].Content))
	}
	if head.Created.IsZero() {
		head.Created = added[0].Time
	}
	if last := added[len(added)-1].Time; last.After(head.Updated) {
		head.Updated = last
	}
	head.Bytes += size
	state.Bytes += size
	state.Entries += int64(len(added))
	c.After, c.Time = head.Last, now
	out := store.Outcome{Number: head.Last, Count: int64(len(added)), Bytes: size}
	return store.LogChange{Head: head, New: added, Change: c, Owner: state}, out
}
