package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// A batch is what one Append stores.
type batch struct {
	ctx     context.Context
	records [][]byte // each in JSON, without its Seq
	first   int64    // the Seq of the first one, once they are stored
	err     error    // why they are not
}

// A group is what is written at once, and confirmed by one fsync: all or nothing
// too.
type group struct {
	batches []*batch
	done    bool
}

const (
	seqMember  = `{"seq":`
	kindMember = `,"kind":"`
	moreMember = `,"more":true}` // at the end of a line: the next one is of the same write
)

// Append implements [Journal]. Appends that wait for each other share one fsync.
// When ctx has ended before the writing begins, nothing is stored; from then on
// it is not looked at.
//
// After an error the file ends with the last record that was stored, and the next
// Append may succeed. Where even that could not be had, every later one is an
// error, until the journal is closed and opened again; only then may something
// that was refused be there after all. A file that was removed, renamed or
// changed by others is an error too.
//
// Errors: [ErrJournal], with the cause; besides, [ErrInvalid] for a record that
// could not be read again, and [ErrClosed].
func (f *File) Append(ctx context.Context, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("append to %s: %w: %w", f.path, ErrJournal, err)
	}
	b := &batch{ctx: ctx, records: make([][]byte, len(records))}
	for i, r := range records {
		var err error
		if b.records[i], err = encodeRecord(r); err != nil {
			return fmt.Errorf("append to %s: record %d: %w: %w", f.path, i+1, ErrJournal, err)
		}
	}
	g := f.join(b)

	f.write.Lock()
	if !g.done {
		f.mu.Lock()
		f.next = nil
		f.mu.Unlock()
		f.store(g.batches)
		g.done = true
	}
	f.write.Unlock()

	if b.err != nil {
		return b.err
	}
	for i := range records {
		records[i].Seq = b.first + int64(i)
	}
	return nil
}

// join puts the batch into the group that is written next.
func (f *File) join(b *batch) *group {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next = new(group)
	}
	f.next.batches = append(f.next.batches, b)
	return f.next
}

// encodeRecord refuses what could not be read again: the journal would never
// open.
func encodeRecord(r Record) ([]byte, error) {
	r.Seq = 0
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		return nil, invalid("it is nested too deeply, in the arguments of a call")
	}
	return text, checkText(text)
}

// store gives every batch its place or its error.
func (f *File) store(batches []*batch) {
	live := make([]*batch, 0, len(batches))
	for _, b := range batches {
		if err := b.ctx.Err(); err != nil {
			b.err = fmt.Errorf("append to %s: %w: %w", f.path, ErrJournal, err)
			continue
		}
		live = append(live, b)
	}
	switch err := f.commit(live); {
	case err == nil:
	case len(live) == 1:
		live[0].err = err
	default: // one may be too long for the disk, and the others not
		for _, b := range live {
			b.err = f.commit([]*batch{b})
		}
	}
}

// commit writes the batches as one, or leaves the file as it was.
func (f *File) commit(batches []*batch) error {
	if err := f.ready(); err != nil {
		return err
	}
	text, last := f.lines(batches)
	if len(text) == 0 {
		return nil
	}
	_, err := f.file.WriteAt(text, f.end)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return f.cutBack(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.advance(last, f.end+int64(len(text)))
	return nil
}

// advance moves the end of what is stored. It needs mu, once the File is in use.
func (f *File) advance(seq, end int64) {
	f.seq, f.end = seq, end
	if len(f.marks) == 0 && end >= markBytes || len(f.marks) > 0 && end-f.marks[len(f.marks)-1].at >= markBytes {
		f.marks = append(f.marks, mark{seq, end})
	}
}

// lines numbers the records and puts them into lines. last is the Seq of the last
// one.
func (f *File) lines(batches []*batch) (text []byte, last int64) {
	size, left := 0, 0
	for _, b := range batches {
		left += len(b.records)
		for _, r := range b.records {
			size += len(r) + len(seqMember) + 20 + len(moreMember)
		}
	}
	text, last = make([]byte, 0, size), f.seq
	for _, b := range batches {
		b.first = last + 1
		for _, r := range b.records {
			last++
			left--
			text = strconv.AppendInt(append(text, seqMember...), last, 10)
			text = append(append(text, ','), r[1:]...)
			if left > 0 {
				text = append(text[:len(text)-1], moreMember...)
			}
			text = append(text, '\n')
		}
	}
	return text, last
}

// ready says why nothing can be appended.
func (f *File) ready() error {
	f.mu.Lock()
	closed := f.closed
	f.mu.Unlock()
	switch {
	case closed:
		return f.errClosed("append to")
	case f.broken != nil:
		return f.broken
	}
	const outside = "append to %s: %w: %w: what is appended would be lost; close the journal and open it again"
	if err := f.inPlace(); err != nil {
		return fmt.Errorf(outside, f.path, ErrJournal, err)
	}
	now, err := f.file.Stat()
	if err == nil && now.Size() != f.end {
		err = fmt.Errorf("it has %d bytes and had %d: something else wrote it", now.Size(), f.end)
	}
	if err != nil {
		return fmt.Errorf(outside, f.path, ErrJournal, err)
	}
	return nil
}

// cutBack takes away what a failed write left.
func (f *File) cutBack(cause error) error {
	err := f.file.Truncate(f.end)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		f.broken = fmt.Errorf("append to %s: a write failed (%w), and what it left could not be cut off (%w): close the journal and open it again: %w",
			f.path, cause, err, ErrJournal)
		return f.broken
	}
	return fmt.Errorf("append to %s: nothing was stored: %w: %w", f.path, ErrJournal, cause)
}
