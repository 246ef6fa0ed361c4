package recordfile

import (
	"context"
	"fmt"
	"strconv"
)

const (
	seqMember  = `{"seq":`
	moreMember = `,"more":true}` // at the end of a line: the next line is of the same write
)

// Append stores the records, all or none, and returns the number of the first one.
// A record is a JSON object in one line that begins with its member kind. ctx is not
// read any more when the writing has begun.
//
// After an error the file ends with the last stored record. If a failed write could
// not be removed, every later Append fails until the file is opened again; only then
// may records that were refused be in the file.
func (f *File[R]) Append(ctx context.Context, records [][]byte) (first int64, err error) {
	f.write.Lock()
	defer f.write.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := f.ready(); err != nil {
		return 0, err
	}
	first = f.seq + 1
	if len(records) == 0 {
		return first, nil
	}
	text := numbered(records, first)
	if _, err = f.file.WriteAt(text, f.end); err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return 0, f.cutBack(err)
	}
	f.advance(f.seq+int64(len(records)), f.end+int64(len(text)))
	return first, nil
}

// advance moves the end of the stored records.
func (f *File[R]) advance(seq, end int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq, f.end = seq, end
}

// numbered returns the records of one write as lines.
func numbered(records [][]byte, first int64) (text []byte) {
	for i, r := range records {
		text = strconv.AppendInt(append(text, seqMember...), first+int64(i), 10)
		text = append(append(text, ','), r[1:]...)
		if i < len(records)-1 {
			text = append(text[:len(text)-1], moreMember...)
		}
		text = append(text, '\n')
	}
	return text
}

// ready returns an error if nothing may be appended.
func (f *File[R]) ready() error {
	switch {
	case f.closed: // Close holds write too
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
func (f *File[R]) cutBack(failure error) error {
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
