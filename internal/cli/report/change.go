package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Change is a change, or all that became of a path.
type Change struct {
	Revision int64     `json:"revision,omitempty"`
	Op       string    `json:"op"`
	Kind     string    `json:"kind"`
	Path     string    `json:"path"`
	From     string    `json:"from,omitempty"`
	Before   int64     `json:"before"`
	After    int64     `json:"after"`
	Author   *Author   `json:"author,omitempty"`
	Others   []*Author `json:"other_authors,omitempty"` // the newest first
	Time     time.Time `json:"time"`
	Diff     string    `json:"diff,omitempty"`
	LeftOut  string    `json:"left_out,omitempty"`
	Same     bool      `json:"same_text,omitempty"`
}

// A cursor is the last line of an answer.
type cursor struct {
	Cursor  int64  `json:"cursor"`
	Count   int    `json:"count"`
	HasMore bool   `json:"has_more"`
	Older   string `json:"older,omitempty"` // the flag that lists the older ones that are left out
	TooOld  bool   `json:"too_old,omitempty"`
	Omitted int    `json:"omitted,omitempty"`
}

// ChangeOf returns a change in JSON.
func ChangeOf(c workspace.Change) Change {
	return Change{
		Revision: c.Revision, Op: string(c.Op), Kind: string(c.Kind), Path: c.Path, From: c.From,
		Before: c.Before, After: c.After, Author: AuthorOf(c.Author), Time: c.Time.UTC(),
	}
}

// WriteChanges writes in JSON a line for each path, and one with the cursor. recent is that of the options.
func WriteChanges(out io.Writer, all workspace.Changes, recent bool) error {
	lines := Lines(out)
	diffs := all.Diffs
	for i, row := range all.Paths {
		record := ChangeOf(row)
		for _, a := range all.Authors[i][1:] {
			record.Others = append(record.Others, AuthorOf(a))
		}
		if len(diffs) > 0 && diffs[0].Row == i {
			record.Diff, record.LeftOut, record.Same = string(diffs[0].Text), diffs[0].LeftOut, diffs[0].Same
			diffs = diffs[1:]
		}
		if err := lines.Encode(record); err != nil {
			return err
		}
	}
	last := cursor{Cursor: all.Cursor, Count: len(all.Paths), HasMore: all.More, TooOld: all.TooOld,
		Omitted: all.Omitted}
	if recent = recent || all.TooOld; recent && all.More {
		last.HasMore, last.Older = false, fmt.Sprintf("--since %d", all.Oldest)
	}
	return lines.Encode(last)
}

// Lines returns an encoder that writes each value as a line of JSON.
func Lines(out io.Writer) *json.Encoder {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return lines
}
