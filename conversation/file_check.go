package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// scan reads the file, of so many bytes, and finds the end of its last whole
// batch. What stands behind that is torn, unless scan returns an error.
func (f *File) scan(size int64) error {
	l := newLines(f.file, 0, size)
	for seq := int64(1); ; seq++ {
		line, end, err := l.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", ErrJournal, err)
		case end == whole:
			_, more, err := parseLine(line, seq)
			if err != nil {
				return l.damage(seq, err)
			}
			if !more {
				f.advance(seq, l.end)
			}
			continue
		case end == cut && len(line) > 0:
			// A record is whole with its last brace: an editor took the newline.
			if _, more, err := parseLine(line, seq); err == nil && !more {
				f.advance(seq, size+1)
				return nil
			}
		}
		if !maybeHead(line, seq) || l.at == 0 && len(line) == 0 {
			return l.damage(seq, headError(line, seq))
		}
		if end == holed {
			return l.checkHole(seq)
		}
		return nil
	}
}

// checkHole looks at what follows a line with NUL bytes. A power cut leaves them
// where blocks of the last write did not come to the disk, and blocks behind them
// did. Where another write follows, this one had been confirmed, and the hole is
// damage.
func (l *lines) checkHole(seq int64) error {
	at, ended := l.at, false
	for {
		line, end, err := l.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrJournal, err)
		}
		if ended {
			l.at = at
			return l.damage(seq, errors.New("it has NUL bytes"))
		}
		var r Record
		ended = end == whole && r.UnmarshalJSON(line) == nil && r.Seq > seq && !bytes.HasSuffix(line, []byte(moreMember))
	}
}

// parseLine reads the line that must have the record with a Seq. more: the next
// one is of the same write.
func parseLine(line []byte, seq int64) (r Record, more bool, err error) {
	if err := checkHead(line, seq); err != nil {
		return r, false, err
	}
	if err := r.UnmarshalJSON(line); err != nil {
		return r, false, err
	}
	if r.Seq != seq {
		return r, false, fmt.Errorf("it has a second seq, %d", r.Seq)
	}
	if bytes.HasSuffix(line, []byte(moreMember)) {
		return r, true, nil
	}
	return r, false, checkNoMore(line)
}

// checkNoMore refuses a line in which the member more is not where it is written.
func checkNoMore(line []byte) error {
	if !bytes.HasSuffix(line, []byte("}")) {
		return errors.New("it does not end with }")
	}
	if !bytes.Contains(line, []byte(`"more"`)) {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return err
	}
	if _, there := members["more"]; there {
		return errors.New("its member more is not at its end")
	}
	return nil
}

func checkHead(line []byte, seq int64) error {
	var number [20]byte
	rest, ok1 := bytes.CutPrefix(line, []byte(seqMember))
	rest, ok2 := bytes.CutPrefix(rest, strconv.AppendInt(number[:0], seq, 10))
	rest, ok3 := bytes.CutPrefix(rest, []byte(kindMember))
	kind, _, ok4 := bytes.Cut(rest, []byte(`"`))
	if ok1 && ok2 && ok3 && ok4 {
		switch RecordKind(kind) {
		case MessageRecord, SummaryRecord, ClearRecord:
			return nil
		}
	}
	return headError(line, seq)
}

// maybeHead says whether the beginning of a line may be that of the record with a
// Seq.
func maybeHead(line []byte, seq int64) bool {
	for _, kind := range []RecordKind{MessageRecord, SummaryRecord, ClearRecord} {
		head := fmt.Appendf(nil, `%s%d%s%s"`, seqMember, seq, kindMember, kind)
		if n := min(len(line), len(head)); bytes.Equal(line[:n], head[:n]) {
			return true
		}
	}
	return false
}

// headError says what is wrong with how a line begins.
func headError(line []byte, seq int64) error {
	begins := clip.Text(string(bytes.ToValidUTF8(line[:min(len(line), 128)], []byte("�"))))
	rest, ours := bytes.CutPrefix(line, []byte(seqMember))
	number, rest, ours2 := bytes.Cut(rest, []byte(kindMember))
	switch {
	case seq == 1 && !(ours && ours2):
		return fmt.Errorf("this is no journal, it begins with %q: give another file", begins)
	case !ours || !ours2:
		return fmt.Errorf("there is no record, it begins with %q", begins)
	case string(number) != strconv.FormatInt(seq, 10):
		return fmt.Errorf("it has seq %s, expected %d", clip.Text(string(number)), seq)
	}
	kind, _, _ := bytes.Cut(rest, []byte(`"`))
	return fmt.Errorf("a record of kind %q, which this version does not know: use a program of the version that wrote it", clip.Text(string(kind)))
}
