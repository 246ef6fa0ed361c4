package recordfile

import (
	"context"
	"fmt"
	"strconv"
)

// A batch is what one Append stores.
type batch struct {
	ctx     context.Context
	records [][]byte // without their numbers
	first   int64    // number of the first record, once the batch is stored
	err     error    // why it is not stored
}

// A group is the batches that are written together and confirmed by one fsync.
type group struct {
	batches []*batch
	done    bool
}

const (
	seqMember  = `{"seq":`
	kindMember = `,"kind":"`
	moreMember = `,"more":true}` // at the end of a line: the next line is of the same write
)

// Append stores the records, all or none, and returns the number of the first one.
// A record is a JSON object in one line that begins with its member kind. Appends
// that wait for each other share one fsync. ctx is not read any more when the
// writing has begun.
//
// After an error the file ends with the last stored record. If a failed write could
// not be removed, every later Append fails until the file is opened again; only then
// may records that were refused be in the file.
func (f *File) Append(ctx context.Context, records [][]byte) (first int64, err error) {
	b := &batch{ctx: ctx, records: records}
	f.flush(f.join(b))
	return b.first, b.err
}

// join adds the batch to the group that is written next.
func (f *File) join(b *batch) *group {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next = new(group)
	}
	f.next.batches = append(f.next.batches, b)
	return f.next
}

// flush returns when the group is written. The first of its appends to get here
// writes it for all.
func (f *File) flush(g *group) {
	f.write.Lock()
	defer f.write.Unlock()
	if g.done {
		return
	}
	f.endGroup()
	f.store(g.batches)
	g.done = true
}

// endGroup makes later appends wait for the next write.
func (f *File) endGroup() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = nil
}

// store stores the batches, and gives each its first number or its error.
func (f *File) store(batches []*batch) {
	live := make([]*batch, 0, len(batches))
	for _, b := range batches {
		if b.err = b.ctx.Err(); b.err == nil {
			live = append(live, b)
		}
	}
	switch err := f.commit(live); {
	case err == nil:
	case len(live) == 1:
		live[0].err = err
	default: // one batch may be too long for the disk, and the others not
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
	f.advance(last, f.end+int64(len(text)))
	return nil
}

// advance moves the end of the stored records.
func (f *File) advance(seq, end int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq, f.end = seq, end
	if len(f.marks) == 0 && end >= markBytes || len(f.marks) > 0 && end-f.marks[len(f.marks)-1].at >= markBytes {
		f.marks = append(f.marks, mark{seq, end})
	}
}

// lines numbers the records of the batches and returns them as lines, with the
// number of the last one.
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

// ready returns an error if nothing may be appended.
func (f *File) ready() error {
	switch {
	case f.isClosed():
		return ErrClosed
	case f.broken != nil:
		return f.broken
	}
	const outside = "%w: an append would be lost; close the journal and open it again"
	if err := f.inPlace(); err != nil {
		return fmt.Errorf(outside, err)
	}
	now, err := f.file.Stat()
	if err == nil && now.Size() != f.end {
		err = fmt.Errorf("it has %d bytes and had %d: something else wrote it", now.Size(), f.end)
	}
	if err != nil {
		return fmt.Errorf(outside, err)
	}
	return nil
}

// cutBack removes what a failed write left, and returns the error for it.
func (f *File) cutBack(failure error) error {
	err := f.file.Truncate(f.end)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		f.broken = fmt.Errorf("a write failed (%w), and what it left could not be removed (%w): close the journal "+
			"and open it again", cause(failure), cause(err))
		return f.broken
	}
	return fmt.Errorf("nothing was stored: %w", cause(failure))
}
