package workspace

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// recordStart is how the JSON of every record begins.
const recordStart = `{"kind":"`

// A journal is a [conversation.Journal] on a log. Its errors wrap
// [conversation.ErrJournal].
type journal struct {
	w         *Workspace
	path      string
	appending *admission.Semaphore // held by Append, which would take the records of another Append for foreign ones

	mu    sync.Mutex // guards the following
	next  int64      // entry behind those that were read and appended
	whole bool       // the log was read to its end
}

// Journal returns a [conversation.Journal] that keeps its records in the log at path. The
// log should hold nothing else. Reading skips entries that do not look like a record. If an
// entry looks like a record but cannot be read as one, reading ends with an error that names
// the entry. If path is invalid, every call returns [ErrInvalid].
//
// Each record is an entry: the JSON of the record without its Seq. The Seq is the number of
// the entry. If the JSON is larger than [Limits].EntryBytes, the record is split over several
// entries: "1/3 " and the first part of the JSON, up to "3/3 " and the last part. The Seq
// is then the number of the last entry. The records of one Append stand together, whoever
// else appends.
//
// Two conversations do not mix. Once a Journal has been read to its end, as conversation.Open
// does, Append returns [ErrConflict] if another Journal has added records since.
//
// If the context of Append ends before the transaction begins, nothing is stored. After
// that, Append waits for the outcome. So an error means that nothing is stored, except
// [ErrOutcomeUnknown]: the store did not confirm the write, and a later read shows whether
// the records are stored. Records returns the records that are there when its loop begins.
// It reads a page at a time, and each page counts as an operation.
//
// Errors wrap [conversation.ErrJournal] besides their kind: [ErrQuota] if Append has no
// room; [ErrTooLarge] if [Limits].EntryBytes is too small even for parts; [ErrInvalid] for
// an entry that cannot be read as a record; [ErrConflict] if the log was deleted or trimmed
// during the loop over Records.
//
// Journal is a function and not a method, for the same reason as [Saver].
func Journal(w *Workspace, path string) conversation.Journal {
	return &journal{w: w, path: path, appending: admission.New(1, 1)}
}

// Append adds records to the log and sets their Seq. If another journal has added
// records since this one was read to its end, it refuses.
func (j *journal) Append(ctx context.Context, records ...conversation.Record) error {
	c := j.w.newMaker(ctx, opAppend, j.path, "")
	added, ends := c.encode(records)
	if c.err != nil || len(records) == 0 {
		return ofJournal(c.explain(ctx, c.err))
	}
	turn, err := j.appending.Take(ctx, "", 1)
	if err != nil {
		return ofJournal(c.explain(ctx, beforeStart(err)))
	}
	defer turn.Leave()
	j.mu.Lock()
	next, whole := j.next, j.whole
	j.mu.Unlock()
	q := store.Query{Log: c.path}
	if whole {
		q.Entries = entriesFrom(next)
	}
	r, err := c.transactUnlessEnded(ctx, q, func(r *run) error {
		if err := checkForeign(r.tx, c.path, r.Entries); err != nil {
			return err
		}
		return r.saveEntries(added, 0)
	})
	if err != nil {
		return ofJournal(c.explain(ctx, err))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = max(j.next, r.out.Number+1)
	for i := range records {
		records[i].Seq = r.out.Number - int64(len(added)-ends[i])
	}
	return nil
}

// transactUnlessEnded is transact for a caller who has to know the outcome. If ctx ends before
// the transaction begins, the transaction never runs. If ctx ends later, nothing changes.
func (c *write) transactUnlessEnded(ctx context.Context, q store.Query, fn func(*run) error) (run, error) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	hold, began := context.AfterFunc(ctx, cancel), false
	r, err := c.transact(work, q, func(r *run) error {
		if !began && !hold() {
			return ctx.Err() // it has ended
		}
		began = true
		return fn(r)
	})
	if err != nil && !began && ctx.Err() != nil {
		err = beforeStart(ctx.Err())
	}
	return r, err
}

// checkForeign refuses to write behind records that the journal has not read. page are the
// first of the entries that came since, as [entriesFrom] selects them.
func checkForeign(r store.Reader, path string, page []Entry) (err error) {
	for len(page) > 0 {
		for _, e := range page {
			if beginsRecord(e.Content) {
				return Errorf(ErrConflict, "entry %d is of another conversation that is kept here: open it again, "+
					"and let one at a time write", e.ID)
			}
		}
		if page, err = r.Entries(path, *entriesFrom(page[len(page)-1].ID + 1)); err != nil {
			return err
		}
	}
	return nil
}

// encode returns the entries of all the records, and how many there are up to the end
// of each record.
func (c *write) encode(records []conversation.Record) (entries []Entry, ends []int) {
	limit := c.w.svc.o.Limits.EntryBytes
	for i, r := range records {
		r.Seq = 0
		text, err := r.MarshalJSON()
		if err != nil {
			c.refuse(fmt.Errorf("record %d: %w: %w", i+1, err, ErrInvalid))
			continue
		}
		parts := splitRecord(text, limit)
		if parts == nil {
			c.refuse(Errorf(ErrTooLarge, "record %d: its %d bytes do not fit entries of %d bytes, nor parts of it: "+
				"raise the limit of an entry", i+1, len(text), limit))
		}
		for _, part := range parts {
			entries = append(entries, c.w.newEntry(part))
		}
		ends = append(ends, len(entries))
	}
	return entries, ends
}

// Records returns the records after a Seq that are there when the loop begins.
func (j *journal) Records(ctx context.Context, after int64) iter.Seq2[conversation.Record, error] {
	return func(yield func(conversation.Record, error) bool) {
		var joined partJoiner
		var err error
		last := after
		for e, failed := range j.entries(ctx, after) {
			var r conversation.Record
			if err = failed; err == nil {
				last = max(last, e.ID)
				r, err = joined.read(e)
			}
			if err != nil {
				break
			}
			if r.Seq > after && !yield(r, nil) {
				return
			}
		}
		if err == nil && joined.within() {
			err = joined.missing("the end of the log")
		}
		if err != nil {
			yield(conversation.Record{}, ofJournal(within(opReadLog, j.path, err)))
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.next, j.whole = max(j.next, last+1), true // what was appended meanwhile was not read
	}
}

// entries returns the entries after a number that are there when the loop begins. If
// that is in the middle of a record, it starts with the beginning of the record.
func (j *journal) entries(ctx context.Context, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		page, end, err := j.w.readLog(ctx, j.path, ReadLogOptions{Since: after})
		if err == nil && len(page.Entries) > 0 {
			first := page.Entries[0]
			if n, _, _ := readPart(first.Content); n > 1 && n <= first.ID {
				page, end, err = j.w.readLog(ctx, j.path, ReadLogOptions{Since: first.ID - n})
			}
		}
		for err == nil {
			for _, e := range page.Entries {
				if e.ID > end || !yield(e, ctx.Err()) {
					return
				}
			}
			at := page.Last
			if at >= end {
				return
			}
			page, _, err = j.w.readLog(ctx, j.path, ReadLogOptions{Since: at})
			if err == nil && (len(page.Entries) == 0 || page.Entries[0].ID != at+1) {
				err = Errorf(ErrConflict, "entry %d is gone, the log was deleted or trimmed while it was read: read "+
					"it again", at+1)
			}
		}
		yield(Entry{}, err)
	}
}

// read takes the next entry, and returns the record that it completes; else the zero Record.
func (j *partJoiner) read(e Entry) (r conversation.Record, err error) {
	if !j.within() && !beginsRecord(e.Content) {
		return r, nil
	}
	text, ok := j.add(e.Content)
	if !ok {
		return r, j.missing(fmt.Sprintf("entry %d", e.ID))
	}
	if text == nil {
		return r, nil
	}
	if err := r.UnmarshalJSON(text); err != nil {
		return r, fmt.Errorf("entry %d is no record of a conversation: %w: %w", e.ID, err, ErrInvalid)
	}
	r.Seq = e.ID
	return r, nil
}

// missing returns the error for something that stands where the next part should.
func (j *partJoiner) missing(found string) error {
	return Errorf(ErrInvalid, "%s stands where part %d of %d of a record should", found, j.added+1, j.of)
}

// beginsRecord reports whether an entry is a record, or the first part of one. The part
// may be shorter than the beginning of a record.
func beginsRecord(entry []byte) bool {
	n, of, text := readPart(entry)
	return n == 1 && (bytes.HasPrefix(text, []byte(recordStart)) || of > 1 &&
		strings.HasPrefix(recordStart, string(text)))
}

// ofJournal gives an error the kind that users of a conversation look for.
func ofJournal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", conversation.ErrJournal, err)
}
