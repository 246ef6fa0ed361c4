package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// entryRecord is an entry of a log in its file.
type entryRecord struct {
	ID     int64     `json:"id"`
	Time   time.Time `json:"time"`
	Author *author   `json:"author,omitempty"`
	Text   *string   `json:"text"`

	Redacted *redaction `json:"redacted,omitempty"` // the text was removed; an import stores an empty entry
}

// appendEntry appends a line for an entry.
func appendEntry(to *bytes.Buffer, e workspace.Entry) error {
	text := string(e.Content)
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	r := entryRecord{ID: e.ID, Time: e.Time.UTC(), Author: authorOf(e.Author), Text: &text}
	if e.Redacted != nil {
		r.Redacted = &redaction{Time: e.Redacted.Time, Author: authorOf(e.Redacted.Author)}
	}
	return out.Encode(r)
}

// entryReader reads the file of a log line by line. No line is longer than most bytes.
type entryReader struct {
	in    *bufio.Reader
	limit int64 // bytes of an entry
	most  int
	lines int64
	last  int64 // the number of the last entry; 0: not known
	buf   []byte
	rest  bool // the rest of a line that is too long comes next
}

func newEntryReader(in io.Reader, entryBytes int64) *entryReader {
	const around, escaped = 4096, 6 // the other fields; \u0000
	return &entryReader{in: bufio.NewReaderSize(in, 64<<10), limit: entryBytes, most: int(entryBytes)*escaped + around}
}

// next returns the next entry, and at the end [io.EOF]. If an entry is too large, the error
// is [workspace.ErrTooLarge], and the call after that returns the one behind it.
func (r *entryReader) next() (workspace.Entry, error) {
	line, err := r.line()
	if err != nil && !errors.Is(err, workspace.ErrTooLarge) {
		return workspace.Entry{}, err
	}
	if r.lines++; err != nil {
		r.last = 0
		return workspace.Entry{}, err
	}
	var e entryRecord
	if err := json.Unmarshal(line, &e); err != nil || e.Text == nil {
		return workspace.Entry{}, errKind{fmt.Sprintf("line %d is not an entry", r.lines)}
	}
	if e.ID < 1 || r.last > 0 && e.ID != r.last+1 {
		return workspace.Entry{}, errKind{fmt.Sprintf("line %d has the number %d after %d", r.lines, e.ID, r.last)}
	}
	r.last = e.ID
	content := []byte(*e.Text)
	if size := int64(len(content)); size > r.limit {
		return workspace.Entry{}, entryTooLarge(size, r.limit, workspace.Errorf(workspace.ErrTooLarge,
			"%d bytes, limit %d", size, r.limit))
	}
	return workspace.Entry{ID: e.ID, Author: e.Author.author(), Time: e.Time, Content: content,
		SHA256: sha256.Sum256(content)}, nil
}

func entryTooLarge(size, limit int64, e *workspace.Error) error {
	e.Quota = &workspace.Quota{Of: workspace.EntryBytes, Adds: size, Limit: limit}
	e.Way = workspace.Way{Do: workspace.DoSplitEntry}
	return e
}

func (r *entryReader) line() ([]byte, error) {
	const most = 64 << 20 // bytes of the rest of a line; a hole in a file has no end
	for skipped := 0; r.rest; {
		part, err := r.in.ReadSlice('\n')
		if r.rest = errors.Is(err, bufio.ErrBufferFull); err != nil && !r.rest {
			return nil, err
		}
		if skipped += len(part); skipped > most {
			return nil, errKind{fmt.Sprintf("line %d has more than %d bytes", r.lines, most)}
		}
	}
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.buf)+len(part) > r.most {
			r.rest = err != nil
			most := int64(r.most)
			return nil, entryTooLarge(most+1, most, workspace.Errorf(workspace.ErrTooLarge,
				"the line has more than %d bytes", most))
		}
		r.buf = append(r.buf, part...)
		switch {
		case err == nil, err == io.EOF && len(r.buf) > 0:
			return r.buf, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
