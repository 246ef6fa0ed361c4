package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
	return out.Encode(entryRecord{ID: e.ID, Time: e.Time.UTC(), Author: authorOf(e.Author), Text: &text,
		Redacted: redactionOf(e.Redacted)})
}

// entryReader reads the file of a log line by line.
type entryReader struct {
	in    *bufio.Scanner
	limit int64 // bytes of an entry
	most  int   // bytes of a line
	line  int64 // the number of the last line
}

func newEntryReader(in io.Reader, entryBytes int64) *entryReader {
	const least, around, escaped = 16 << 20, 4096, 6 // for entries of other limits; the other fields; \u0000
	r := &entryReader{in: bufio.NewScanner(in), limit: entryBytes, most: max(least, int(entryBytes)*escaped+around)}
	r.in.Buffer(nil, r.most)
	return r
}

// next returns the next entry, and at the end [io.EOF]. If an entry is too large, the error
// is [workspace.ErrTooLarge], and the call after that returns the one behind it.
func (r *entryReader) next() (workspace.Entry, error) {
	r.line++
	if !r.in.Scan() {
		if errors.Is(r.in.Err(), bufio.ErrTooLong) {
			return workspace.Entry{}, errKind{fmt.Sprintf("line %d has more than %d bytes", r.line, r.most)}
		}
		return workspace.Entry{}, cmp.Or(r.in.Err(), io.EOF)
	}
	var e entryRecord
	if err := json.Unmarshal(r.in.Bytes(), &e); err != nil || e.Text == nil {
		return workspace.Entry{}, errKind{fmt.Sprintf("line %d is not an entry", r.line)}
	}
	content := []byte(*e.Text)
	if size := int64(len(content)); size > r.limit {
		return workspace.Entry{}, sizeError(size, store.EntryBytes, r.limit,
			store.Way{Do: store.DoSplitEntry})
	}
	return workspace.Entry{ID: e.ID, Author: e.Author.author(), Time: e.Time, Content: content,
		SHA256: sha256.Sum256(content)}, nil
}
