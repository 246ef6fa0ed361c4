package conversation

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

// Records implements [Journal]. It gives what was stored when the iteration
// began. The loop may append, and may take its time: nothing waits for it. One
// record at a time is in memory.
//
// Errors: [ErrJournal], with the cause; besides, [ErrClosed].
func (f *File) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		from, last, end, err := f.extent(after)
		if err != nil {
			yield(Record{}, err)
			return
		}
		lines := newLines(f.file, from.at, end)
		for seq := from.seq + 1; seq <= last; seq++ {
			if err := ctx.Err(); err != nil {
				yield(Record{}, fmt.Errorf("read %s: %w: %w", f.path, ErrJournal, err))
				return
			}
			r, err := lines.record(seq, seq > after)
			if errors.Is(err, os.ErrClosed) {
				err = f.errClosed("read")
			} else if err != nil {
				err = fmt.Errorf("read %s: %w", f.path, err)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			if seq > after && !yield(r, nil) {
				return
			}
		}
	}
}

// extent is the part of the file in which the records after a Seq are.
func (f *File) extent(after int64) (from mark, last, end int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return mark{}, 0, 0, f.errClosed("read")
	}
	if after >= f.seq {
		return mark{f.seq, f.end}, f.seq, f.end, nil
	}
	if i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].seq > after }); i > 0 {
		from = f.marks[i-1]
	}
	return from, f.seq, f.end, nil
}

// lines reads a file line by line.
type lines struct {
	in     *bufio.Reader
	long   []byte // a line that is longer than the buffer of in
	noneed bool   // long is no record: the rest of the line is not kept
	at     int64  // where the last line began
	end    int64  // and where it ended
}

// How a line ends.
type lineEnd int

const (
	whole lineEnd = iota // with a newline
	cut                  // with the file
	holed                // it has NUL bytes, which no record has: the line is what is before them
)

func newLines(file io.ReaderAt, from, to int64) *lines {
	return &lines{in: bufio.NewReaderSize(io.NewSectionReader(file, from, to-from), 64<<10), at: from, end: from}
}

// next returns the next line, without its newline, up to the next call. Of a long
// one that is no record it returns no more than the beginning. At the end it
// returns [io.EOF].
func (l *lines) next() (line []byte, end lineEnd, err error) {
	l.at, l.long, l.noneed = l.end, l.long[:0], false
	part, err := l.read()
	for errors.Is(err, bufio.ErrBufferFull) {
		l.keep(part)
		part, err = l.read()
	}
	if err != nil && err != io.EOF || l.end == l.at {
		return nil, 0, err
	}
	if line = part; len(l.long) > 0 {
		l.keep(part)
		line = l.long
	}
	if nul := bytes.IndexByte(line, 0); nul >= 0 {
		return line[:nul], holed, nil
	}
	if err == io.EOF {
		return line, cut, nil
	}
	return bytes.TrimSuffix(line, []byte("\n")), whole, nil
}

func (l *lines) read() ([]byte, error) {
	part, err := l.in.ReadSlice('\n')
	l.end += int64(len(part))
	return part, err
}

func (l *lines) keep(part []byte) {
	if l.noneed {
		return
	}
	l.long = append(l.long, part...)
	l.noneed = !bytes.HasPrefix(l.long, []byte(seqMember)) || bytes.IndexByte(part, 0) >= 0
}

// record returns the next line as the record that it must be, read or, where it
// is not wanted, only looked at.
func (l *lines) record(seq int64, wanted bool) (r Record, err error) {
	line, end, err := l.next()
	switch {
	case err == io.EOF:
		return r, l.damage(seq, errors.New("the file ends before it: it was cut short"))
	case err != nil:
		return r, fmt.Errorf("%w: %w", ErrJournal, err)
	case end != whole:
		return r, l.damage(seq, errors.New("it is cut off, or has NUL bytes"))
	case !wanted:
		if err := checkHead(line, seq); err != nil {
			return r, l.damage(seq, err)
		}
		return r, nil
	}
	r, _, err = parseLine(line, seq)
	if err != nil {
		return r, l.damage(seq, err)
	}
	return r, nil
}

// damage says where something is wrong: the record with a Seq is in the line with
// that number.
func (l *lines) damage(seq int64, err error) error {
	return fmt.Errorf("line %d, at byte %d: %w; the file is left as it is: mend the line, or bring back a copy: %w", seq, l.at, err, ErrJournal)
}
