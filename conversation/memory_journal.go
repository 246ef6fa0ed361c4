package conversation

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Open returns a memory that continues the conversation in the Journal: it has the
// window, the summary and the evidence that the last memory had. It reads all
// records, one at a time, and calls no model: a summary that is due is made by the
// next Append.
//
// If a process ended before its calls had results, give the results before anything
// else is appended: see [OpenCalls].
//
// Errors: [ErrConfig], [ErrNoJournal], [ErrJournal], ctx.Err().
func Open(ctx context.Context, o Options) (*Memory, error) {
	m, err := New(o)
	if err != nil {
		return nil, err
	}
	if o.Journal == nil {
		return nil, fmt.Errorf("open a conversation: %w: set Options.Journal, or use New", ErrNoJournal)
	}
	m.fresh = false
	var cleared int64
	for r, err := range o.Journal.Records(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("open a conversation: %w", journalError(err))
		}
		if err := r.validate(); err != nil {
			return nil, fmt.Errorf("open a conversation: record %d: %w", r.Seq, journalError(err))
		}
		switch r.Kind {
		case MessageRecord:
			m.push(added{msg: *r.Message, seq: r.Seq, tokens: m.o.count(*r.Message)})
		case SummaryRecord:
			// A summary of messages from before a Clear is in no memory.
			if r.Through > cleared {
				m.replace(m.window.after(r.Through), r)
			}
		case ClearRecord:
			m.reset()
			cleared = r.Seq
		}
	}
	return m, nil
}

// Originals returns every message that was ever appended, in order, from the
// Journal. Messages that were summarised, and messages before a Clear, are among
// them. The iteration ends with the first error: [ErrNoJournal], [ErrJournal] or
// ctx.Err().
func (m *Memory) Originals(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if m.o.Journal == nil {
			yield(Message{}, fmt.Errorf("originals: %w: set Options.Journal", ErrNoJournal))
			return
		}
		for r, err := range m.o.Journal.Records(ctx, 0) {
			if err == nil {
				err = r.validate()
			}
			switch {
			case err != nil:
				yield(Message{}, fmt.Errorf("originals: %w", journalError(err)))
				return
			case r.Kind == MessageRecord && !yield(r.Message.clone(), nil):
				return
			}
		}
	}
}

// saveMessages writes messages to the journal and numbers them. The turn is held.
func (m *Memory) saveMessages(ctx context.Context, news []added) error {
	if m.o.Journal == nil {
		for i := range news {
			news[i].seq = m.seq + int64(i) + 1
		}
		return nil
	}
	used, err := m.journalUsed(ctx)
	if err != nil || len(news) == 0 {
		return err
	}
	var records []Record
	if used {
		records = append(records, Record{Kind: ClearRecord})
	}
	for i := range news {
		records = append(records, Record{Kind: MessageRecord, Message: &news[i].msg})
	}
	if err := m.write(ctx, records); err != nil {
		return err
	}
	m.fresh = false
	for i, r := range records[len(records)-len(news):] {
		news[i].seq = r.Seq
	}
	return nil
}

// journalUsed reports whether the journal holds records of an earlier memory that
// this one does not continue. The turn is held.
func (m *Memory) journalUsed(ctx context.Context) (bool, error) {
	if !m.fresh {
		return false, nil
	}
	for _, err := range m.o.Journal.Records(ctx, 0) {
		if err != nil {
			return false, journalError(err)
		}
		return true, nil
	}
	return false, nil
}

// write adds records to the journal, if there is one. The turn is held.
func (m *Memory) write(ctx context.Context, records []Record) error {
	if m.o.Journal == nil || len(records) == 0 {
		return nil
	}
	if err := m.o.Journal.Append(ctx, records...); err != nil {
		return journalError(err)
	}
	return nil
}

// journalError returns the error of a journal with its kind.
func journalError(err error) error {
	if errors.Is(err, ErrJournal) {
		return err
	}
	return fmt.Errorf("%w: %w", err, ErrJournal)
}
