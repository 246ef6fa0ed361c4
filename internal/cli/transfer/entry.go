package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// entryRecord is an entry of a log in its file.
type entryRecord struct {
	ID     int64     `json:"id"`
	Time   time.Time `json:"time"`
	Author *author   `json:"author,omitempty"`
	Text   *string   `json:"text"`
}

// appendEntry appends a line for an entry.
func appendEntry(to *bytes.Buffer, e workspace.Entry) error {
	text := string(e.Content)
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	return out.Encode(entryRecord{ID: e.ID, Time: e.Time.UTC(), Author: authorOf(e.Author), Text: &text})
}

// maxLine is how many bytes a line of a log may have. A hole in a file has no end.
const maxLine = 64 << 20

// entries yields the entries in the file of a log, with their lines from 1. For an entry of
// more than limit bytes it yields [workspace.ErrTooLarge], and goes on. It ends after any
// other error.
func entries(in io.Reader, limit int64) iter.Seq2[workspace.Entry, error] {
	return func(yield func(workspace.Entry, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		n := 1
		for ; lines.Scan(); n++ {
			e, err := entryOf(n, lines.Bytes(), limit)
			if !yield(e, err) || err != nil && !errors.Is(err, workspace.ErrTooLarge) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(workspace.Entry{}, errKind{fmt.Sprintf("line %d: %v", n, err)})
		}
	}
}

func entryOf(n int, line []byte, limit int64) (workspace.Entry, error) {
	var e entryRecord
	if err := json.Unmarshal(line, &e); err != nil || e.Text == nil || e.ID < 1 {
		return workspace.Entry{}, errKind{fmt.Sprintf("line %d is not an entry", n)}
	}
	content := []byte(*e.Text)
	if size := int64(len(content)); size > limit {
		return workspace.Entry{}, tooLarge(workspace.EntryBytes, size, limit, workspace.Way{Do: workspace.DoSplitEntry})
	}
	return workspace.Entry{ID: e.ID, Author: e.Author.author(), Time: e.Time, Content: content,
		SHA256: sha256.Sum256(content)}, nil
}
