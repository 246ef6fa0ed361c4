package recordfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// checkHead returns an error if the line does not begin as the record with the
// number.
func (f Format) checkHead(line []byte, seq int64) error {
	var number [20]byte
	rest, ok1 := bytes.CutPrefix(line, []byte(seqMember))
	rest, ok2 := bytes.CutPrefix(rest, strconv.AppendInt(number[:0], seq, 10))
	rest, ok3 := bytes.CutPrefix(rest, []byte(kindMember))
	kind, _, ok4 := bytes.Cut(rest, []byte(`"`))
	if ok1 && ok2 && ok3 && ok4 && slices.ContainsFunc(f.Kinds, func(k string) bool { return k == string(kind) }) {
		return nil
	}
	return f.headError(line, seq)
}

// maybeHead reports whether the line, which may be cut off, begins as the record
// with the number.
func (f Format) maybeHead(line []byte, seq int64) bool {
	for _, kind := range f.Kinds {
		head := fmt.Appendf(nil, `%s%d%s%s"`, seqMember, seq, kindMember, kind)
		if n := min(len(line), len(head)); bytes.Equal(line[:n], head[:n]) {
			return true
		}
	}
	return false
}

// headError says why a line does not begin as the record with the number.
func (f Format) headError(line []byte, seq int64) error {
	begins := clip.Text(string(bytes.ToValidUTF8(line[:min(len(line), 128)], []byte("�"))))
	rest, ours := bytes.CutPrefix(line, []byte(seqMember))
	number, rest, ours2 := bytes.Cut(rest, []byte(kindMember))
	switch {
	case seq == 1 && !(ours && ours2):
		return fmt.Errorf("this is not a journal, it begins with %q: give another file", begins)
	case !ours || !ours2:
		return fmt.Errorf("it is not a record, it begins with %q", begins)
	case string(number) != strconv.FormatInt(seq, 10):
		return fmt.Errorf("it has seq %s, expected %d", clip.Text(string(number)), seq)
	}
	kind, _, _ := bytes.Cut(rest, []byte(`"`))
	return fmt.Errorf("this version does not know records of kind %q: use the version that wrote the file",
		clip.Text(string(kind)))
}

// hasMore reports whether the line says that the next line is of the same write.
func hasMore(line []byte) bool { return bytes.HasSuffix(line, []byte(moreMember)) }

// checkNoMore returns an error if the line has the member more in another place
// than the one where Append writes it.
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
		return errors.New("its member more is not at the end")
	}
	return nil
}
