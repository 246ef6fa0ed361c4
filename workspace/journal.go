package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/recordlog"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/turn"
)

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
	return recordlog.New(journalLog{w, path})
}

const opAppend = "append to"

// journalLog is a log as a journal needs it.
type journalLog struct {
	w    *Workspace
	path string
}

func (l journalLog) MaxEntry() int64 { return l.w.svc.limits.EntryBytes }

func (l journalLog) Append(ctx context.Context, texts [][]byte, next int64, foreign func([]byte) bool) (last int64, err error) {
	p, err := l.w.start(ctx, opAppend, l.path)
	if err != nil || len(texts) == 0 {
		return 0, err
	}
	a, err := l.w.newAttempt(opAppend, l.path, "")
	if err != nil {
		return 0, err
	}
	added := make([]Entry, len(texts))
	for i, text := range texts {
		added[i] = l.w.newEntry(text)
	}
	add, q := l.w.addEntries(a, added), Query{Log: p.name}
	if next > 0 {
		q.Entries = entriesFrom(next)
	}
	out, err := l.w.commitUnlessEnded(ctx, a, q, func(tx Tx, loaded Loaded) (Outcome, error) {
		if err := checkForeign(tx, p.name, loaded.Entries, foreign); err != nil {
			return Outcome{}, err
		}
		return add(tx, loaded)
	})
	return out.Number, within(opAppend, l.path, err)
}

// checkForeign refuses to write behind records that the journal has not read. page are the
// first of the entries that came since, as [entriesFrom] selects them.
func checkForeign(r Reader, path string, page []Entry, foreign func(entry []byte) bool) (err error) {
	for len(page) > 0 {
		for _, e := range page {
			if foreign(e.Content) {
				return Errorf(ErrConflict, "entry %d is of another conversation that is kept here: open it again, and let one at a time write", e.ID)
			}
		}
		if page, err = r.Entries(path, *entriesFrom(page[len(page)-1].ID + 1)); err != nil {
			return err
		}
	}
	return nil
}

func (l journalLog) Read(ctx context.Context, after int64) (recordlog.Page, error) {
	r, err := l.w.ReadLog(ctx, l.path, ReadLogOptions{Since: after})
	if err != nil {
		return recordlog.Page{}, err
	}
	return recordlog.Page{Entries: r.Entries, Last: r.Last, End: r.Last + r.Total - int64(len(r.Entries))}, nil
}

func (l journalLog) Fail(f recordlog.Fault) error {
	if f.Reading {
		return f.Of(opReadLog, l.path)
	}
	if f.Kind == recordlog.Ended {
		f.Err = beforeStart(f.Err)
	}
	return f.Of(opAppend, l.path)
}

// commitUnlessEnded is commit for a caller who has to know the outcome. If ctx ends
// before the transaction begins, the transaction never runs. If ctx ends later, nothing
// changes.
func (w *Workspace) commitUnlessEnded(ctx context.Context, a *attempt, q Query, fn writeFunc) (Outcome, error) {
	gate := turn.NewGate(ctx)
	defer gate.Close()
	out, err := w.commit(gate.Context(), a, q, func(tx Tx, l Loaded) (Outcome, error) {
		if !gate.Begin() {
			return Outcome{}, ctx.Err()
		}
		return fn(tx, l)
	})
	if gate.Withdrawn() {
		return Outcome{}, beforeStart(ctx.Err())
	}
	return out, err
}
