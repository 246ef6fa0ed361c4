package recordfile

import (
	"errors"
	"fmt"
	"io"
)

// scan reads the file, which has size bytes, and sets the end to that of the last
// complete write. Unless scan returns an error, the rest of the file is torn.
func (f *File) scan(size int64) error {
	in := newReader(f.file, 0, size)
	for seq := int64(1); ; seq++ {
		line, end, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return cause(err)
		case end == whole:
			if err := f.format.checkLine(line, seq); err != nil {
				return damage(seq, in.at, err)
			}
			if !hasMore(line) {
				f.advance(seq, in.end)
			}
			continue
		case end == cut && len(line) > 0 && !hasMore(line):
			// A record is complete with its last brace. An editor may have removed the
			// newline.
			if f.format.checkLine(line, seq) == nil {
				f.advance(seq, size+1)
				return nil
			}
		}
		if !f.format.maybeHead(line, seq) || in.at == 0 && len(line) == 0 {
			return damage(seq, in.at, f.format.headError(line, seq))
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
func (f *File) scanHole(in *reader, seq int64) error {
	at, ended := in.at, false
	for {
		line, end, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return cause(err)
		}
		if ended {
			return damage(seq, at, errors.New("it has NUL bytes"))
		}
		if ended = end == whole && !hasMore(line); ended {
			found, err := f.format.Parse(line)
			ended = err == nil && found > seq
		}
	}
}

// checkLine returns an error if the line is not the record with the number.
func (f Format) checkLine(line []byte, seq int64) error {
	if err := f.checkHead(line, seq); err != nil {
		return err
	}
	found, err := f.Parse(line)
	if err != nil {
		return err
	}
	if found != seq {
		return fmt.Errorf("it has a second seq, %d", found)
	}
	if hasMore(line) {
		return nil
	}
	return checkNoMore(line)
}
