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

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

func damage(seq, at int64, err error) error {
	return fmt.Errorf("line %d, at byte %d: %w; the file was not changed: correct the line, or restore a copy", seq, at,
		err)
}

// Records returns the records after a number, in order. It gives the records that were
// stored when the iteration began. The loop may append and may take its time, since
// no lock is held. One record at a time is in memory. The iteration ends with the
// first error.
func (f *File[R]) Records(ctx context.Context, after int64) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		f.mu.Lock()
		closed, last, end := f.closed, f.seq, f.end
		f.mu.Unlock()
		if closed {
			var none R
			yield(none, ErrClosed)
			return
		}
		in := newReader(f.file, end)
		for seq := int64(1); seq <= last && after < last; seq++ {
			r, err := f.read(ctx, in, seq, after)
			if errors.Is(err, os.ErrClosed) {
				err = ErrClosed
			}
			if (err != nil || seq > after) && !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// read returns the next record, which must have the given number. One that is not wanted is
// passed over.
func (f *File[R]) read(ctx context.Context, in *reader, seq, after int64) (r R, err error) {
	if err := ctx.Err(); err != nil {
		return r, err
	}
	line, end, err := in.next()
	switch {
	case err == io.EOF:
		return r, damage(seq, in.at, errors.New("the file ends before it: it was cut short"))
	case err != nil:
		return r, cause(err)
	case end != whole:
		return r, damage(seq, in.at, errors.New("it is cut off, or has NUL bytes"))
	case seq <= after:
		return r, nil
	}
	if r, err = f.format.parse(line, seq); err != nil {
		err = damage(seq, in.at, err)
	}
	return r, err
}

// scan reads the file, which has size bytes, and sets the end to that of the last
// complete write. Unless scan returns an error, the rest of the file is torn.
func (f *File[R]) scan(size int64) error {
	in := newReader(f.file, size)
	begin, err := in.in.Peek(len(seqMember)) // of a large file that is no journal nothing more is read
	if err != nil && err != io.EOF {
		return cause(err)
	}
	begin, _, _ = bytes.Cut(begin, []byte{0})
	if size > 0 && len(begin) == 0 || !bytes.HasPrefix([]byte(seqMember), begin) {
		return damage(1, 0, f.format.checkHead(begin, 1, false))
	}
	for seq := int64(1); ; seq++ {
		line, end, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return cause(err)
		case end == whole:
			if _, err := f.format.parse(line, seq); err != nil {
				return damage(seq, in.at, err)
			}
			if !hasMore(line) {
				f.advance(seq, in.end)
			}
			continue
		case end == cut && !hasMore(line):
			// A record is complete with its last brace. An editor may have removed the
			// newline.
			if _, err := f.format.parse(line, seq); err == nil {
				f.advance(seq, size+1)
				return nil
			}
		}
		if err := f.format.checkHead(line, seq, true); err != nil {
			return damage(seq, in.at, err)
		}
		if end == holed {
			return f.scanHole(in, seq)
		}
		return nil
	}
}

// scanHole reads on after a line with NUL bytes. A power cut leaves NUL bytes where
// some blocks of the last write did not reach the disk, and later blocks did. If
// another write follows, the write with the hole had been confirmed: the hole is
// damage.
func (f *File[R]) scanHole(in *reader, seq int64) error {
	at, ended := in.at, false
	for {
		line, end, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return cause(err)
		case ended:
			return damage(seq, at, errors.New("it has NUL bytes"))
		}
		if ended = end == whole && !hasMore(line); ended {
			_, found, err := f.format.Parse(line)
			ended = err == nil && found > seq
		}
	}
}

// parse returns the record in a line, or an error unless it is that with the number.
func (f Format[R]) parse(line []byte, seq int64) (r R, err error) {
	if err := f.checkHead(line, seq, false); err != nil {
		return r, err
	}
	r, found, err := f.Parse(line)
	switch {
	case err != nil:
		return r, err
	case found != seq:
		return r, fmt.Errorf("it has a second seq, %d", found)
	case !bytes.HasSuffix(line, []byte("}")):
		return r, errors.New("it does not end with }")
	}
	return r, nil
}

// checkHead returns an error if a line, which may be cut off, does not begin as the record
// with the number.
func (f Format[R]) checkHead(line []byte, seq int64, isCut bool) error {
	for _, kind := range f.Kinds {
		head := fmt.Appendf(nil, `%s%d,"kind":"%s"`, seqMember, seq, kind)
		if isCut {
			head = head[:min(len(head), len(line))]
		}
		if bytes.HasPrefix(line, head) {
			return nil
		}
	}
	begins := clip.Text(string(bytes.ToValidUTF8(line[:min(len(line), 128)], []byte("�"))))
	if !bytes.HasPrefix(line, []byte(seqMember)) && seq == 1 {
		return fmt.Errorf("this is not a journal, it begins with %q: give another file", begins)
	}
	return fmt.Errorf("it begins with %q, and not as record %d of a kind that this version knows", begins, seq)
}

// hasMore reports whether the line says that the next line is of the same write.
func hasMore(line []byte) bool { return bytes.HasSuffix(line, []byte(moreMember)) }

// A reader reads a file line by line.
type reader struct {
	in  *bufio.Reader
	at  int64 // where the last line began
	end int64 // where the last line ended
}

// A lineEnd says how a line ends.
type lineEnd int

const (
	whole lineEnd = iota // with a newline
	cut                  // with the file
	holed                // it has NUL bytes, which no record has; the line is what comes before them
)

func newReader(file io.ReaderAt, size int64) *reader {
	return &reader{in: bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 64<<10)}
}

// next returns the next line without its newline. At the end of the file the error is
// [io.EOF].
func (r *reader) next() (line []byte, end lineEnd, err error) {
	r.at = r.end
	line, err = r.in.ReadBytes('\n')
	r.end += int64(len(line))
	if err != nil && err != io.EOF || len(line) == 0 {
		return nil, 0, err
	}
	if nul := bytes.IndexByte(line, 0); nul >= 0 {
		return line[:nul], holed, nil
	}
	if err == io.EOF {
		return line, cut, nil
	}
	return line[:len(line)-1], whole, nil
}
