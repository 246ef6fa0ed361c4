package workspace

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/recordlog"
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
func (w *Workspace) Journal(path string) conversation.Journal {
	return recordlog.New(journalLog{w, path})
}

const opAppend = "append to"

// journalLog is a log as a journal needs it.
type journalLog struct {
	w    *Workspace
	path string
}

func (l journalLog) MaxEntry() int64 { return l.w.svc.limits.EntryBytes }

func (l journalLog) Append(ctx context.Context, entries [][]byte, next int64, foreign func([]byte) bool) (last int64, err error) {
	p, err := start(ctx, opAppend, l.path)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	a, err := l.w.newAttempt(opAppend, l.path, "")
	if err != nil {
		return 0, err
	}
	added := make([]Entry, len(entries))
	for i, e := range entries {
		added[i] = l.w.newEntry(e)
	}
	add := l.w.addEntries(p, a, added)
	out, err := l.w.commitUnlessEnded(ctx, a, func(tx Tx) (Outcome, error) {
		if next > 0 {
			if err := checkForeign(tx, p, next, foreign); err != nil {
				return Outcome{}, err
			}
		}
		return add(tx)
	})
	return out.Number, within(opAppend, l.path, err)
}

// checkForeign refuses to write behind records that the journal has not read.
func checkForeign(tx Reader, p Path, next int64, foreign func([]byte) bool) error {
	for {
		entries, err := tx.Entries(p.name, EntryQuery{After: next - 1, Limit: pageEntries, MaxBytes: pageBytes})
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if foreign(e.Content) {
				return fmt.Errorf("entry %d is of another conversation that is kept here: open it again, and let one at a time write: %w", e.ID, ErrConflict)
			}
		}
		next = entries[len(entries)-1].ID + 1
	}
}

func (l journalLog) Read(ctx context.Context, after int64) (recordlog.Page, error) {
	r, err := l.w.ReadLog(ctx, l.path, ReadLogOptions{Since: after})
	if err != nil {
		return recordlog.Page{}, err
	}
	page := recordlog.Page{Last: r.Last, End: r.Last + r.Total - int64(len(r.Entries))}
	for _, e := range r.Entries {
		page.Entries = append(page.Entries, recordlog.Entry{ID: e.ID, Content: e.Content})
	}
	return page, nil
}

func (l journalLog) Fail(f recordlog.Fault) error {
	op := opAppend
	if f.Reading {
		op = opReadLog
	}
	switch f.Kind {
	case recordlog.TooLarge:
		return fail(ErrTooLarge, op, l.path, "%s", f.Text)
	case recordlog.Gone:
		return fail(ErrConflict, op, l.path, "%s", f.Text)
	case recordlog.Ended:
		return within(op, l.path, f.Err)
	}
	if f.Err != nil {
		return within(op, l.path, fmt.Errorf("%s: %w", f.Text, invalidRecord{f.Err}))
	}
	return fail(ErrInvalid, op, l.path, "%s", f.Text)
}

// invalidRecord is an error of package conversation, which is of this package's
// kind too.
type invalidRecord struct{ error }

func (e invalidRecord) Unwrap() error { return e.error }

func (e invalidRecord) Is(target error) bool { return target == ErrInvalid }

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
	if state.Load() != withdrawn { // err is the store's
		return out, err
	}
	return Outcome{}, beforeStart(ctx.Err())
}
