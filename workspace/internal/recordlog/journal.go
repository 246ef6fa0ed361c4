package recordlog

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/turn"
)

// recordStart is how the JSON of every record begins.
const recordStart = `{"kind":"`

// A Journal is a [conversation.Journal] on a log. Its errors wrap
// [conversation.ErrJournal].
type Journal struct {
	log       Log
	appending turn.Turn // held by Append, which would take the records of another Append for foreign ones

	mu    sync.Mutex // guards the following
	next  int64      // entry behind those that were read and appended, once the log was read to its end; 0 before
	added int64      // entry behind those that were appended
}

var _ conversation.Journal = (*Journal)(nil)

// New returns a Journal on a log.
func New(l Log) *Journal { return &Journal{log: l, appending: turn.New()} }

// Append adds records to the log and sets their Seq. If another journal has added
// records since this one was read to its end, it refuses.
func (j *Journal) Append(ctx context.Context, records ...conversation.Record) error {
	entries, ends, err := j.encode(records)
	if err != nil {
		return ofJournal(err)
	}
	if ctx == nil {
		return ofJournal(j.log.Fail(Fault{Kind: Invalid, Text: "the context is nil"}))
	}
	if err := j.appending.Take(ctx); err != nil {
		return ofJournal(j.log.Fail(Fault{Kind: Ended, Err: err}))
	}
	defer j.appending.Give()
	j.mu.Lock()
	next := j.next
	j.mu.Unlock()
	last, err := j.log.Append(ctx, entries, next, beginsRecord)
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

// encode returns the entries of all the records, and how many there are up to the end
// of each record.
func (j *Journal) encode(records []conversation.Record) (entries [][]byte, ends []int, err error) {
	limit := j.log.MaxEntry()
	for i, r := range records {
		r.Seq = 0
		text, err := r.MarshalJSON()
		if err != nil {
			return nil, nil, j.log.Fail(Fault{Kind: Invalid, Text: fmt.Sprintf("record %d", i+1), Err: err})
		}
		parts := split(text, limit)
		if parts == nil {
			return nil, nil, j.log.Fail(Fault{Kind: TooLarge, Size: int64(len(text)), Limit: limit, Text: fmt.Sprintf(
				"record %d: its %d bytes do not fit entries of %d bytes, nor parts of it: raise the limit of an entry", i+1, len(text), limit)})
		}
		entries = append(entries, parts...)
		ends = append(ends, len(entries))
	}
	return entries, ends, nil
}

// Records returns the records after a Seq that are there when the loop begins.
func (j *Journal) Records(ctx context.Context, after int64) iter.Seq2[conversation.Record, error] {
	return func(yield func(conversation.Record, error) bool) {
		var joined joiner
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
func (j *Journal) entries(ctx context.Context, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		page, err := j.firstPage(ctx, after)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		end := page.End
		for {
			for _, e := range page.Entries {
				if err := ctx.Err(); err != nil {
					yield(Entry{}, j.log.Fail(Fault{Kind: Ended, Reading: true, Err: err}))
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
			page, err = j.log.Read(ctx, at)
			if err == nil && (len(page.Entries) == 0 || page.Entries[0].ID != at+1) {
				err = j.log.Fail(Fault{Kind: Gone, Reading: true, Text: fmt.Sprintf(
					"entry %d is gone, the log was deleted or trimmed while it was read: read it again", at+1)})
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// firstPage returns the page after a number, or after the beginning of the record that
// has this number within it.
func (j *Journal) firstPage(ctx context.Context, after int64) (Page, error) {
	page, err := j.log.Read(ctx, after)
	if err != nil || len(page.Entries) == 0 {
		return page, err
	}
	first := page.Entries[0]
	if n, _, _ := readHead(first.Content); n > 1 && n <= first.ID {
		return j.log.Read(ctx, first.ID-n)
	}
	return page, nil
}

// read takes the next entry, and returns the record that it completes.
func (j *Journal) read(joined *joiner, e Entry) (r conversation.Record, whole bool, err error) {
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
		return r, false, j.log.Fail(Fault{Kind: Invalid, Reading: true, Err: err, Text: fmt.Sprintf("entry %d is no record of a conversation", e.ID)})
	}
	r.Seq = e.ID
	return r, true, nil
}

func (j *Journal) missingPart(joined *joiner, found string) error {
	part, of := joined.next()
	return j.log.Fail(Fault{Kind: Invalid, Reading: true, Text: fmt.Sprintf("%s stands where part %d of %d of a record should", found, part, of)})
}

// beginsRecord reports whether an entry is a record, or the first part of one. The part
// may be shorter than the beginning of a record.
func beginsRecord(entry []byte) bool {
	n, of, text := readHead(entry)
	return n == 1 && (bytes.HasPrefix(text, []byte(recordStart)) || of > 1 && strings.HasPrefix(recordStart, string(text)))
}

// ofJournal gives an error the kind that users of a conversation look for.
func ofJournal(err error) error { return fmt.Errorf("%w: %w", conversation.ErrJournal, err) }
