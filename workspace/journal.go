package workspace

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/parts"
)

// Journal returns a [conversation.Journal] that keeps its records in the log at
// the path. It should hold nothing else: entries that do not look like a record
// are passed over, and one that looks like it and is none ends the reading with an
// error that names it. A wrong path shows in the first call.
//
// A record is an entry of JSON without its Seq, which is the number of the entry.
// One over the limit of an entry is split over several, "1/3 " and the first
// part of the JSON to "3/3 " and the last, and its Seq is the last one's number.
// Records of one Append stand together, whoever else appends. Once a Journal was
// read to its end, as conversation.Open does, an Append is [ErrConflict] where
// another one has added records since: two conversations do not mix.
//
// Append can be withdrawn by its context until its transaction begins; from there
// on it waits for the outcome. So its error means that nothing is stored, but for
// [ErrOutcomeUnknown]: the disk did not confirm the write, and what is there shows
// when the store is opened again. Records gives what is there when the loop
// begins; a page at a time, each of them a read.
//
// Errors wrap [conversation.ErrJournal] besides their kind: [ErrQuota] where an
// Append has no room, [ErrTooLarge] where the limit of an entry is too small even
// for parts, [ErrInvalid] for what is no record, [ErrConflict] where the log was
// deleted or trimmed while it was read.
func (w *Workspace) Journal(path string) conversation.Journal { return &journal{w: w, path: path} }

type journal struct {
	w    *Workspace
	path string

	mu    sync.Mutex // guards the following
	next  int64      // entry behind those that were read and appended, once the log was read to its end; 0 before
	added int64      // entry behind those that were appended
}

func (j *journal) Append(ctx context.Context, records ...conversation.Record) error {
	const op = "append to"
	p, err := start(ctx, op, j.path)
	if err != nil {
		return ofJournal(err)
	}
	if len(records) == 0 {
		return nil
	}
	entries, ends, err := j.encode(records)
	if err != nil {
		return ofJournal(within(op, j.path, err))
	}
	a, err := j.w.newAttempt(op, j.path, "")
	if err != nil {
		return ofJournal(err)
	}
	add := j.w.addEntries(p, a, entries)
	out, err := j.w.commitUnlessEnded(ctx, a, func(tx Tx) (Outcome, error) {
		if err := j.checkUnseen(tx, p); err != nil {
			return Outcome{}, err
		}
		return add(tx)
	})
	if err != nil {
		return ofJournal(within(op, j.path, err))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.added = max(j.added, out.Number+1); j.next > 0 {
		j.next = max(j.next, j.added)
	}
	for i := range records {
		records[i].Seq = out.Number - out.Count + int64(ends[i])
	}
	return nil
}

// checkUnseen refuses to write behind records that this journal has not read.
func (j *journal) checkUnseen(tx Reader, p Path) error {
	j.mu.Lock()
	next := j.next
	j.mu.Unlock()
	if next == 0 {
		return nil
	}
	for {
		entries, err := tx.Entries(p.name, EntryQuery{After: next - 1, Limit: pageEntries, MaxBytes: pageBytes})
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if parts.Begins(e.Content, recordStart) {
				return fmt.Errorf("entry %d is of another conversation that is kept here: open it again, and let one at a time write: %w", e.ID, ErrConflict)
			}
		}
		next = entries[len(entries)-1].ID + 1
	}
}

// commitUnlessEnded is commit for who has to know the outcome: a context that
// ends before the transaction begins withdraws it for good, and one that ends
// later changes nothing.
func (w *Workspace) commitUnlessEnded(ctx context.Context, a *attempt, fn func(Tx) (Outcome, error)) (Outcome, error) {
	const begun, withdrawn = 1, 2
	var state atomic.Int32
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if state.CompareAndSwap(0, withdrawn) {
			cancel()
		}
	})
	defer stop()
	out, err := w.commit(inner, a, func(tx Tx) (Outcome, error) {
		if state.CompareAndSwap(0, begun); state.Load() == withdrawn {
			return Outcome{}, ctx.Err()
		}
		return fn(tx)
	})
	switch {
	case state.Load() != withdrawn: // err is the store's
		return out, err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Outcome{}, fmt.Errorf("the deadline came before it could begin, nothing happened; try again: %w: %w", ErrBusy, ctx.Err())
	}
	return Outcome{}, ctx.Err()
}

// encode returns the entries of all the records, and how many there are up to
// the end of each record.
func (j *journal) encode(records []conversation.Record) (entries []Entry, ends []int, err error) {
	for i, r := range records {
		r.Seq = 0
		text, err := r.MarshalJSON()
		if err != nil {
			return nil, nil, fmt.Errorf("record %d: %w", i+1, invalidRecord{err})
		}
		texts := parts.Split(text, j.w.svc.limits.EntryBytes)
		if texts == nil {
			return nil, nil, fmt.Errorf("record %d: its %d bytes do not fit entries of %d bytes, nor parts of it: raise the limit of an entry: %w",
				i+1, len(text), j.w.svc.limits.EntryBytes, ErrTooLarge)
		}
		for _, part := range texts {
			entries = append(entries, j.w.newEntry(part))
		}
		ends = append(ends, len(entries))
	}
	return entries, ends, nil
}

func (j *journal) Records(ctx context.Context, after int64) iter.Seq2[conversation.Record, error] {
	return func(yield func(conversation.Record, error) bool) {
		var joined parts.Joiner
		last := after
		for e, err := range j.entries(ctx, after) {
			last = max(last, e.ID)
			var r conversation.Record
			var whole bool
			if err == nil {
				r, whole, err = readRecord(&joined, e)
				err = within(opReadLog, j.path, err)
			}
			if err != nil {
				yield(conversation.Record{}, ofJournal(err))
				return
			}
			if whole && r.Seq > after && !yield(r, nil) {
				return
			}
		}
		if joined.Within() {
			yield(conversation.Record{}, ofJournal(within(opReadLog, j.path, missingPart(&joined, "the end of the log"))))
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.next = max(j.next, last+1, j.added) // what was appended meanwhile was not read
	}
}

// entries gives those after a number that are there when it begins; where that
// is the middle of a record, from the record's beginning.
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
			page, err = j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: at})
			if err == nil && (len(page.Entries) == 0 || page.Entries[0].ID != at+1) {
				err = fail(ErrConflict, opReadLog, j.path, "entry %d is gone, the log was deleted or trimmed while it was read: read it again", at+1)
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

func (j *journal) firstPage(ctx context.Context, after int64) (LogPage, error) {
	page, err := j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: after})
	if err != nil || len(page.Entries) == 0 {
		return page, err
	}
	first := page.Entries[0]
	if n := parts.Number(first.Content); n > 1 && n <= first.ID {
		return j.w.ReadLog(ctx, j.path, ReadLogOptions{Since: first.ID - n})
	}
	return page, nil
}

// recordStart is how the JSON of every record begins.
const recordStart = `{"kind":"`

// readRecord takes the next entry, and returns the record that it completes. An entry
// that does not begin a record, and is not within one, is somebody else's note.
func readRecord(joined *parts.Joiner, e Entry) (r conversation.Record, whole bool, err error) {
	if !joined.Within() && !parts.Begins(e.Content, recordStart) {
		return r, false, nil
	}
	text, ok := joined.Add(e.Content)
	if !ok {
		return r, false, missingPart(joined, fmt.Sprintf("entry %d", e.ID))
	}
	if text == nil {
		return r, false, nil
	}
	if err := r.UnmarshalJSON(text); err != nil {
		return r, false, fmt.Errorf("entry %d is no record of a conversation: %w", e.ID, invalidRecord{err})
	}
	r.Seq = e.ID
	return r, true, nil
}

func missingPart(joined *parts.Joiner, found string) error {
	part, of := joined.Next()
	return fmt.Errorf("%s stands where part %d of %d of a record should: %w", found, part, of, ErrInvalid)
}

// ofJournal gives an error the kind that users of a conversation look for.
func ofJournal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", conversation.ErrJournal, err)
}

// invalidRecord is an error of package conversation, which is of this package's
// kind too.
type invalidRecord struct{ error }

func (e invalidRecord) Unwrap() error { return e.error }

func (e invalidRecord) Is(target error) bool { return target == ErrInvalid }
