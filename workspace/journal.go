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
	next  int64      // entry behind those that were read and appended, once the log was read to its end; 0 before
	added int64      // entry behind those that were appended
}

// Journal returns a [conversation.Journal] that keeps its records in the log at the path.
// The log should hold nothing else. Entries that do not look like a record are skipped.
// An entry that looks like a record but is none ends the reading with an error that names
// it. A wrong path is an error of the first call.
//
// A record is an entry of JSON without its Seq, which is the number of the entry. A record
// that is over the limit of an entry is split over several: "1/3 " and the first part of
// the JSON, to "3/3 " and the last. Its Seq is the number of the last entry. The records of
// one Append stand together, whoever else appends.
//
// Two conversations do not mix. Once a Journal was read to its end, as conversation.Open
// does, Append returns [ErrConflict] if another Journal has added records since.
//
// If the context of Append ends before the transaction begins, nothing is stored. After
// that, Append waits for the outcome. So an error means that nothing is stored, except
// [ErrOutcomeUnknown]: the disk did not confirm the write, and whether it is stored shows
// when the store is opened again. Records returns the records that are there when its loop
// begins. It reads a page at a time, and each page counts as a read.
//
// Errors wrap [conversation.ErrJournal] besides their kind: [ErrQuota] if Append has no
// room; [ErrTooLarge] if the limit of an entry is too small even for parts; [ErrInvalid]
// for an entry that is no record; [ErrConflict] if the log was deleted or trimmed while it
// was read.
//
// It is a function and no method for the reason of [Saver].
func Journal(w *Workspace, path string) conversation.Journal {
	return &journal{w: w, path: path, appending: admission.New(1, 1)}
}

const opAppend = "append to"

// Append adds records to the log and sets their Seq. If another journal has added
// records since this one was read to its end, it refuses.
func (j *journal) Append(ctx context.Context, records ...conversation.Record) error {
	entries, ends, err := j.encode(records)
	if err != nil {
		return ofJournal(err)
	}
	if ctx == nil {
		return ofJournal(fail(ErrInvalid, opAppend, j.path, "the context is nil"))
	}
	turn, err := j.appending.Take(ctx, "", 1)
	if err != nil {
		return ofJournal(within(opAppend, j.path, beforeStart(err)))
	}
	defer turn.Leave()
	j.mu.Lock()
	next := j.next
	j.mu.Unlock()
	last, err := j.append(ctx, entries, next)
	if err != nil {
		return ofJournal(err)
	}
	if len(records) == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.added = max(j.added, last+1); j.next > 0 {
		j.next = max(j.next, j.added)
	}
	for i := range records {
		records[i].Seq = last - int64(len(entries)) + int64(ends[i])
	}
	return nil
}

// append adds entries to the end of the log, all of them or none, and returns the number of
// the last one. If next is above 0, it refuses if any entry from next on is a record.
func (j *journal) append(ctx context.Context, texts [][]byte, next int64) (last int64, err error) {
	p, err := j.w.start(ctx, opAppend, j.path)
	if err != nil || len(texts) == 0 {
		return 0, err
	}
	a, err := j.w.newAttempt(opAppend, j.path, "")
	if err != nil {
		return 0, err
	}
	added := make([]Entry, len(texts))
	for i, text := range texts {
		added[i] = j.w.newEntry(text)
	}
	add, q := j.w.addEntries(a, added), store.Query{Log: p.name}
	if next > 0 {
		q.Entries = entriesFrom(next)
	}
	out, err := j.w.commitUnlessEnded(ctx, a, q, func(tx store.Tx, loaded store.Loaded) (store.Outcome, error) {
		if err := checkForeign(tx, p.name, loaded.Entries); err != nil {
			return store.Outcome{}, err
		}
		return add(tx, loaded)
	})
	return out.Number, within(opAppend, j.path, err)
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

// commitUnlessEnded is commit for a caller who has to know the outcome. If ctx ends
// before the transaction begins, the transaction never runs. If ctx ends later, nothing
// changes.
func (w *Workspace) commitUnlessEnded(
	ctx context.Context, a *attempt, q store.Query, fn writeFunc,
) (store.Outcome, error) {
	gate := newStartGate(ctx)
	defer gate.close()
	out, err := w.commit(gate.context(), a, q, func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
		if !gate.begin() {
			return store.Outcome{}, ctx.Err()
		}
		return fn(tx, l)
	})
	if gate.withdrawn() {
		return store.Outcome{}, beforeStart(ctx.Err())
	}
	return out, err
}

// encode returns the entries of all the records, and how many there are up to the end
// of each record.
func (j *journal) encode(records []conversation.Record) (entries [][]byte, ends []int, err error) {
	limit := j.w.svc.limits.EntryBytes
	for i, r := range records {
		r.Seq = 0
		text, err := r.MarshalJSON()
		if err != nil {
			return nil, nil, within(opAppend, j.path, fmt.Errorf("record %d: %w", i+1, invalidRecord{err}))
		}
		parts := splitRecord(text, limit)
		if parts == nil {
			return nil, nil, fail(ErrTooLarge, opAppend, j.path,
				"record %d: its %d bytes do not fit entries of %d bytes, nor parts of it: raise the limit of an entry",
				i+1, len(text), limit)
		}
		entries = append(entries, parts...)
		ends = append(ends, len(entries))
	}
	return entries, ends, nil
}

// Records returns the records after a Seq that are there when the loop begins.
func (j *journal) Records(ctx context.Context, after int64) iter.Seq2[conversation.Record, error] {
	return func(yield func(conversation.Record, error) bool) {
		var joined partJoiner
		last := after
		for e, err := range j.entries(ctx, after) {
			last = max(last, e.ID)
			var r conversation.Record
			var whole bool
			if err == nil {
				r, whole, err = j.read(&joined, e)
			}
			if err != nil {
				yield(conversation.Record{}, ofJournal(err))
				return
			}
			if whole && r.Seq > after && !yield(r, nil) {
				return
			}
		}
		if joined.within() {
			yield(conversation.Record{}, ofJournal(j.missingPart(&joined, "the end of the log")))
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.next = max(j.next, last+1, j.added) // what was appended meanwhile was not read
	}
}

// entries returns the entries after a number that are there when the loop begins. If
// that is in the middle of a record, it starts with the beginning of the record.
func (j *journal) entries(ctx context.Context, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		page, err := j.firstPage(ctx, after)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		end := page.Last + page.Total - int64(len(page.Entries))
		for {
			for _, e := range page.Entries {
				if err := ctx.Err(); err != nil {
					yield(Entry{}, within(opReadLog, j.path, err))
					return
				}
				if e.ID > end || !yield(e, nil) {
					return
				}
			}
			at := page.Last
			if at >= end {
				return
			}
			page, err = j.readPage(ctx, at)
			if err == nil && (len(page.Entries) == 0 || page.Entries[0].ID != at+1) {
				err = fail(ErrConflict, opReadLog, j.path,
					"entry %d is gone, the log was deleted or trimmed while it was read: read it again", at+1)
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// readPage returns a page of the entries after a number.
func (j *journal) readPage(ctx context.Context, after int64) (LogPage, error) {
	return j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: after})
}

// firstPage returns the page after a number, or after the beginning of the record that
// has this number within it.
func (j *journal) firstPage(ctx context.Context, after int64) (LogPage, error) {
	page, err := j.readPage(ctx, after)
	if err != nil || len(page.Entries) == 0 {
		return page, err
	}
	first := page.Entries[0]
	if n, _, _ := readPart(first.Content); n > 1 && n <= first.ID {
		return j.readPage(ctx, first.ID-n)
	}
	return page, nil
}

// read takes the next entry, and returns the record that it completes.
func (j *journal) read(joined *partJoiner, e Entry) (r conversation.Record, whole bool, err error) {
	if !joined.within() && !beginsRecord(e.Content) {
		return r, false, nil
	}
	text, ok := joined.add(e.Content)
	if !ok {
		return r, false, j.missingPart(joined, fmt.Sprintf("entry %d", e.ID))
	}
	if text == nil {
		return r, false, nil
	}
	if err := r.UnmarshalJSON(text); err != nil {
		return r, false, within(opReadLog, j.path, fmt.Errorf("entry %d is no record of a conversation: %w", e.ID,
			invalidRecord{err}))
	}
	r.Seq = e.ID
	return r, true, nil
}

func (j *journal) missingPart(joined *partJoiner, found string) error {
	part, of := joined.next()
	return fail(ErrInvalid, opReadLog, j.path, "%s stands where part %d of %d of a record should", found, part, of)
}

// beginsRecord reports whether an entry is a record, or the first part of one. The part
// may be shorter than the beginning of a record.
func beginsRecord(entry []byte) bool {
	n, of, text := readPart(entry)
	return n == 1 && (bytes.HasPrefix(text, []byte(recordStart)) || of > 1 &&
		strings.HasPrefix(recordStart, string(text)))
}

// ofJournal gives an error the kind that users of a conversation look for.
func ofJournal(err error) error { return fmt.Errorf("%w: %w", conversation.ErrJournal, err) }

// invalidRecord is an error of package conversation that also has a kind.
type invalidRecord struct{ error }

func (e invalidRecord) Unwrap() error { return e.error }

func (e invalidRecord) Is(target error) bool { return target == ErrInvalid }
