package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/secrets"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// AppendOptions of [Workspace.AppendLogWith].
type AppendOptions struct {
	IdempotencyKey string // as in WriteOptions

	// Once stores a single entry once: if the same entry was appended to the same path with
	// Once in the last 24 hours, the result is that of the first append, with Repeated set. The
	// entry is stored again if the first one was deleted or redacted since. Such appends are
	// kept with the idempotency keys. If over 1,000 are kept, the oldest is forgotten, and its
	// entry is stored again. Once excludes IdempotencyKey.
	Once bool
}

// AppendResult says what an append stored.
type AppendResult struct {
	Path  string
	First int64 // number of the first entry that was appended
	Last  int64 // number of the last one
	Bytes int64 // of all appended entries together

	Repeated bool // with Once: the entry was there, and nothing was stored

	Secrets *Secrets // nil: none, or Options.Secrets is SecretsOff
}

// AppendLog appends entries to a log, all of them or none, and gives them consecutive
// numbers. It creates the log if there is none. An entry is UTF-8 text. There must be at
// least one entry. When AppendLog returns a nil error, the entries survive a power cut.
// Errors: [ErrTooLarge], [ErrQuota].
func (w *Workspace) AppendLog(ctx context.Context, path string, entries ...[]byte) (AppendResult, error) {
	return w.AppendLogWith(ctx, path, AppendOptions{}, entries...)
}

// AppendLogWith is [Workspace.AppendLog] with options. Errors: also [ErrConflict], for a key that
// another request has used.
func (w *Workspace) AppendLogWith(
	ctx context.Context, path string, o AppendOptions, entries ...[]byte,
) (AppendResult, error) {
	c := w.newMaker(ctx, opAppend, path, o.IdempotencyKey)
	if len(entries) == 0 {
		c.refuse(Errorf(ErrInvalid, "there is no entry to append"))
	}
	added := make([]Entry, len(entries))
	for i, e := range entries {
		c.checkEntry(e, len(entries) > 1, int64(i+1))
		added[i] = w.newEntry(bytes.Clone(e))
	}
	if o.Once {
		c.setOnce(entries)
	}
	c.hashArgs(entries...)
	found := make([][]secrets.Secret, len(added))
	for i, e := range added {
		found[i] = w.findSecrets(e.Content)
		c.refuseEntry(w.refuseSecrets(found[i]), len(added) > 1, int64(i+1))
	}
	r, err := c.appendTo(ctx, store.Query{Log: c.path}, func(r *run) error { return r.saveEntries(added, 0) })
	for i := 0; i < len(found) && err == nil; i++ {
		r.Secrets = w.listSecrets(r.Secrets, found[i], c.path, r.First+int64(i))
	}
	return r, err
}

// checkEntry checks the content of an entry. The error names the entry if it is one of several.
func (c *write) checkEntry(content []byte, several bool, n int64) {
	c.refuseEntry(c.w.svc.o.Limits.checkText(content, store.EntryBytes), several, n)
}

func (c *write) refuseEntry(err error, several bool, n int64) {
	if err != nil && c.err == nil {
		if c.err = err; several {
			c.object = fmt.Sprintf("%s, entry %d", c.object, n)
		}
	}
}

// appendTo commits a write that adds entries.
func (c *write) appendTo(ctx context.Context, q store.Query, fn func(*run) error) (AppendResult, error) {
	r, err := c.transact(ctx, q, fn)
	first := r.out.Number - max(1, r.out.Count) + 1
	return AppendResult{Path: r.path, First: first, Last: r.out.Number, Bytes: r.out.Bytes,
		Repeated: r.repeated && r.once != nil}, c.explain(ctx, err)
}

// newEntry returns an entry that is not numbered yet.
func (w *Workspace) newEntry(content []byte) Entry {
	return Entry{SHA256: sha256.Sum256(content), Author: stored(w.author), Content: content}
}

// ReadLogOptions of [Workspace.ReadLog]. The zero value reads the first page.
type ReadLogOptions struct {
	Since int64       // the cursor: returns the entries after this number; 0: from the first
	Limit int         // entries at most, 1-100; 0: 100; 0 with store.ArgLimit in Zeros: none
	Tail  int         // returns the last N entries, 1-100; excludes Since and Limit; 0: off
	Zeros []store.Arg // as in ReadOptions

	// Where returns only entries that are JSON objects for which conditions hold, such as:
	//
	//	host=web-07 failed>100 error.text~"timed out"
	//
	// There are at most 10 conditions, with spaces between them and none inside. A condition is
	// a field, one of the operators = != < <= > >= ~, and a value. The first operator ends the
	// field. A dot in the field goes inside an object. ~ means that the value is a part of the
	// field's text, in upper or lower case. Quotes around a value allow spaces, and \" stands for
	// a quote inside.
	//
	// A string compares with the value as text. If both are times of RFC 3339 or the beginning
	// of one, they compare as times. A number compares only with a number, or as text if one of
	// them is too large for a float64. true, false and null compare as text, and have no order.
	// Other values never match, nor does a field that is missing. An entry in which a name
	// stands twice in one object never matches. "": all entries.
	Where string
}

// LogPage is a page of a log.
type LogPage struct {
	Path   string
	Exists bool
	IsFile bool // the log does not exist, but a file at the same path does
	// Nearest is the path of the agent's log with the most similar name, if the log does not
	// exist. "": no log has a similar name, or IsFile is set.
	Nearest string
	Entries []Entry // the oldest first; at most 100 and 256 KiB as JSON; one entry may be larger
	Total   int64   // number of entries of the log
	Matched int64   // number of entries of the log that match Where; 0 without Where
	Last    int64   // the cursor for the next call
	More    bool    // more entries, of those that match Where, are after the page; with Tail: before the page
	Removed int64   // the last removed entry after the cursor; 0: none was removed, Since is 0, or Tail is set
}

const (
	opAppend  = "append to"
	opReadLog = "read log"
)

// ReadLog returns a page of a log, the oldest entries first. If the log does not exist,
// ReadLog returns an empty page and no error. With Where, ReadLog reads the whole log.
func (w *Workspace) ReadLog(ctx context.Context, path string, o ReadLogOptions) (LogPage, error) {
	page, _, err := w.readLog(ctx, path, o)
	return page, within(opReadLog, path, err)
}

// readLog also returns the number of the last entry, 0 if the log does not exist.
func (w *Workspace) readLog(ctx context.Context, path string, o ReadLogOptions) (page LogPage, last int64, err error) {
	p, q, err := w.logQuery(ctx, path, o)
	if err != nil {
		return LogPage{}, 0, err
	}
	if o.Where != "" {
		page, err = w.readWhere(ctx, p.name, q, o.Where)
	} else {
		page, last, err = w.readPage(ctx, p.name, q)
	}
	if w.counted(err) != nil {
		return LogPage{}, 0, err
	}
	if !page.Exists {
		at := w.instead(ctx, p.name, KindLog)
		page.IsFile, page.Nearest = at.other, at.near
	}
	return page, last, nil
}

// AppendLines appends a line for each entry to body, with line feeds between the lines, and
// returns the extended slice. A line is a JSON array: the number of the entry, the whole
// seconds since the first entry of the page, and the text, or null if the entry is redacted. In
// JSON, the text of one entry cannot look like two entries.
func (p LogPage) AppendLines(body []byte) []byte { return changes.AppendLines(body, p.Entries) }

// saveEntries numbers the entries and adds them to the log that was loaded. It gives those
// without a time the time now. A log that is new begins with the number first, or a higher one.
// added is not changed: a transaction may run again.
func (r *run) saveEntries(added []Entry, first int64) error {
	h, before := r.Log, r.Log.Last
	if !h.Exists() {
		last := h.Last
		if last == 0 {
			last = max(r.after.LogFloor, first-1)
		}
		h, before = store.LogHead{Path: h.Path, First: last + 1, Last: last, Updated: h.Updated}, 0
	}
	now := latest(r.now, h.Updated)
	added = slices.Clone(added)
	r.out.Count = int64(len(added))
	for i := range added {
		h.Last++
		if added[i].ID = h.Last; added[i].Time.IsZero() {
			added[i].Time = now
		}
		r.out.Bytes += int64(len(added[i].Content))
	}
	if h.Created.IsZero() {
		h.Created = added[0].Time
	}
	h.Updated = latest(h.Updated, added[len(added)-1].Time)
	h.Bytes += r.out.Bytes
	r.out.Number = h.Last
	c := Change{Op: OpAppend, Before: before, After: h.Last, Entries: r.out.Count}
	return r.saveLog(store.LogChange{Head: h, New: added, Change: c})
}
