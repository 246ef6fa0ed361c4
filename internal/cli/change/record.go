package change

import (
	"encoding/json"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Record is a change, or all that became of a path.
type Record struct {
	Revision int64     `json:"revision,omitempty"`
	Op       string    `json:"op"`
	Kind     string    `json:"kind"`
	Path     string    `json:"path"`
	From     string    `json:"from,omitempty"`
	Before   int64     `json:"before"`
	After    int64     `json:"after"`
	Author   *Author   `json:"author,omitempty"`
	Time     time.Time `json:"time"`
	Diff     string    `json:"diff,omitempty"`
}

// A Cursor is the last line of an answer.
type Cursor struct {
	Cursor  int64 `json:"cursor"`
	Count   int   `json:"count"`
	HasMore bool  `json:"has_more"`
	TooOld  bool  `json:"too_old,omitempty"`
	Omitted int   `json:"omitted,omitempty"`
}

// RecordOf returns the record of a change.
func RecordOf(c workspace.Change) Record {
	return Record{
		Revision: c.Revision, Op: string(c.Op), Kind: string(c.Kind), Path: c.Path, From: c.From,
		Before: c.Before, After: c.After, Author: AuthorOf(c.Author), Time: c.Time.UTC(),
	}
}

// WriteJSON writes a line for each path, and one with the cursor.
func WriteJSON(out io.Writer, all workspace.Changes) error {
	lines := newEncoder(out)
	diffs := all.Diffs
	for _, row := range all.Paths {
		record := RecordOf(row)
		if len(diffs) > 0 && diffs[0].Path == row.Path && diffs[0].Kind == row.Kind {
			record.Diff, diffs = string(diffs[0].Text), diffs[1:]
		}
		if err := lines.Encode(record); err != nil {
			return err
		}
	}
	return lines.Encode(Cursor{all.Cursor, len(all.Paths), all.More, all.TooOld, all.Omitted})
}

// WriteRecord writes one change as a line of JSON.
func WriteRecord(out io.Writer, c workspace.Change) error { return newEncoder(out).Encode(RecordOf(c)) }

func newEncoder(out io.Writer) *json.Encoder {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return lines
}
