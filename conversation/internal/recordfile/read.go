package recordfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sort"
)

// A Line is a line of the file with a record.
type Line struct {
	Seq  int64  // number of the record, and of the line
	At   int64  // where the line begins, in bytes
	Text []byte // without its newline; valid until the next iteration
}

// Damage returns the error for a line that is not a valid record.
func (l Line) Damage(err error) error { return damage(l.Seq, l.At, err) }

func damage(seq, at int64, err error) error {
	return fmt.Errorf("line %d, at byte %d: %w; the file was not changed: correct the line, or restore a copy", seq, at,
		err)
}

// Lines returns the lines after a number, in order. It gives the lines that were
// stored when the iteration began. The loop may append and may take its time, since
// no lock is held. One line at a time is in memory. The iteration ends with the
// first error.
func (f *File) Lines(ctx context.Context, after int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		from, last, end, err := f.extent(after)
		if err != nil {
			yield(Line{}, err)
			return
		}
		in := newReader(f.file, from.at, end)
		for seq := from.seq + 1; seq <= last; seq++ {
			err := ctx.Err()
			var line Line
			if err == nil {
				line, err = f.line(in, seq, seq > after)
			}
			if errors.Is(err, os.ErrClosed) {
				err = ErrClosed
			}
			if err != nil {
				yield(Line{}, err)
				return
			}
			if seq > after && !yield(line, nil) {
				return
			}
		}
	}
}

// extent returns the part of the file that holds the lines after a number.
func (f *File) extent(after int64) (from mark, last, end int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return mark{}, 0, 0, ErrClosed
	}
	if after >= f.seq {
		return mark{f.seq, f.end}, f.seq, f.end, nil
	}
	if i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].seq > after }); i > 0 {
		from = f.marks[i-1]
	}
	return from, f.seq, f.end, nil
}

// line returns the next line, which must have the given number. Of a line that is
// not wanted only the beginning is checked.
func (f *File) line(in *reader, seq int64, wanted bool) (Line, error) {
	text, end, err := in.next()
	switch {
	case err == io.EOF:
		return Line{}, damage(seq, in.at, errors.New("the file ends before it: it was cut short"))
	case err != nil:
		return Line{}, cause(err)
	case end != whole:
		return Line{}, damage(seq, in.at, errors.New("it is cut off, or has NUL bytes"))
	}
	err = f.format.checkHead(text, seq)
	if err == nil && wanted && !hasMore(text) {
		err = checkNoMore(text)
	}
	if err != nil {
		return Line{}, damage(seq, in.at, err)
	}
	return Line{Seq: seq, At: in.at, Text: text}, nil
}

// A reader reads a file line by line.
type reader struct {
	in   *bufio.Reader
	long []byte // a line that is longer than the buffer of in
	skip bool   // the line is not a record: the rest of it is not kept
	at   int64  // where the last line began
	end  int64  // where the last line ended
}

// A lineEnd says how a line ends.
type lineEnd int

const (
	whole lineEnd = iota // with a newline
	cut                  // with the file
	holed                // it has NUL bytes, which no record has; the line is what comes before them
)

func newReader(file io.ReaderAt, from, to int64) *reader {
	return &reader{in: bufio.NewReaderSize(io.NewSectionReader(file, from, to-from), 64<<10), at: from, end: from}
}

// next returns the next line without its newline. The line is valid until the next
// call. If a long line is not a record, only its beginning is returned. At the end of
// the file the error is [io.EOF].
func (r *reader) next() (line []byte, end lineEnd, err error) {
	r.at, r.long, r.skip = r.end, r.long[:0], false
	part, err := r.read()
	for errors.Is(err, bufio.ErrBufferFull) {
		r.keep(part)
		part, err = r.read()
	}
	if err != nil && err != io.EOF || r.end == r.at {
		return nil, 0, err
	}
	if line = part; len(r.long) > 0 {
		r.keep(part)
		line = r.long
	}
	if nul := bytes.IndexByte(line, 0); nul >= 0 {
		return line[:nul], holed, nil
	}
	if err == io.EOF {
		return line, cut, nil
	}
	return bytes.TrimSuffix(line, []byte("\n")), whole, nil
}

// read returns the next part of a line, as much as the buffer holds.
func (r *reader) read() ([]byte, error) {
	part, err := r.in.ReadSlice('\n')
	r.end += int64(len(part))
	return part, err
}

// keep adds a part to the long line.
func (r *reader) keep(part []byte) {
	if r.skip {
		return
	}
	r.long = append(r.long, part...)
	r.skip = !bytes.HasPrefix(r.long, []byte(seqMember)) || bytes.IndexByte(part, 0) >= 0
}
