package mcpserver

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var appendLog = tool{
	name:        "append_log",
	description: "Append an entry to a log in your memory: events, not facts to correct later",
	scope:       writes,
	weight:      light,
	properties: []strictjson.Field{path, {Name: "entry", Kind: "string", Required: true},
		{Name: "once", Kind: "boolean", Description: "not twice in 24 h"}},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		o := workspace.AppendOptions{IdempotencyKey: a.key, Once: a.Flag("once")}
		r, err := ws.AppendLogWith(ctx, a.Text("path"), o, []byte(a.Text("entry")))
		return result{record: appendRecord{r.Path, r.Last, r.Bytes, r.Repeated, r.Secrets}}, err
	},
}

type appendRecord struct {
	Path         string `json:"path"`
	EntryID      int64  `json:"entry_id"`
	BytesWritten int64  `json:"bytes_written"`
	Repeated     bool   `json:"repeated,omitempty"`
	*workspace.Secrets
}

var readLog = tool{
	name: "read_log",
	description: "Read a log in your memory: up to limit entries after since_entry, or the last tail, " +
		"as [id,seconds after base_time,text]. limit 0: counts only",
	scope:  reads,
	weight: large,
	properties: []strictjson.Field{path,
		{Name: "since_entry", Kind: "integer"},
		{Name: "limit", Kind: "integer"},
		{Name: "tail", Kind: "integer"},
		{Name: "where", Kind: "string", Description: "for JSON entries: host=web-07 failed>100"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		page, err := ws.ReadLog(ctx, a.Text("path"), workspace.ReadLogOptions{
			Since: a.Integer("since_entry"), Limit: toInt(a.Integer("limit")), Tail: toInt(a.Integer("tail")),
			Zeros: a.zeros(), Where: a.Text("where"),
		})
		if err != nil {
			return result{}, err
		}
		return logResult(page, a.Text("where") != ""), nil
	},
}

type logRecord struct {
	Path        string `json:"path"`
	Count       int    `json:"count"`
	Total       int64  `json:"total"`
	Matched     *int64 `json:"matched,omitempty"`
	LastEntryID int64  `json:"last_entry_id"`
	HasMore     bool   `json:"has_more"`
	BaseTime    string `json:"base_time,omitempty"`
	Removed     int64  `json:"removed_through,omitempty"` // the last of the entries after the cursor that are gone
	Exists      *bool  `json:"exists,omitempty"`          // false, or left out
	Nearest     string `json:"nearest,omitempty"`
	Hint        string `json:"hint,omitempty"`
}

// logResult returns the record of a page of a log, and a line for each entry.
func logResult(page workspace.LogPage, where bool) result {
	rec := logRecord{
		Path: page.Path, Count: len(page.Entries), Total: page.Total, LastEntryID: page.Last, HasMore: page.More,
		Removed: page.Removed, Nearest: page.Nearest,
	}
	if where {
		rec.Matched = &page.Matched
	}
	if !page.Exists {
		rec.Exists = &page.Exists
	}
	if page.IsFile {
		rec.Hint = "there is a file of this name; use read_file"
	}
	if len(page.Entries) == 0 {
		return result{record: rec}
	}
	rec.BaseTime = page.Entries[0].Time.UTC().Format(time.RFC3339)
	return result{record: rec, body: page.AppendLines(nil)}
}

var deleteLog = tool{
	name:        "delete_log",
	description: "Delete a log in your memory, or its entries up to and including through_entry",
	scope:       writes,
	weight:      light,
	destructive: true,
	properties:  []strictjson.Field{path, {Name: "through_entry", Kind: "integer"}},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		var d workspace.DeleteResult
		var err error
		if through := a.number("through_entry"); through != nil {
			d, err = ws.TrimLog(ctx, a.Text("path"), *through, workspace.TrimLogOptions{IdempotencyKey: a.key})
		} else {
			d, err = ws.DeleteLog(ctx, a.Text("path"), workspace.DeleteLogOptions{IdempotencyKey: a.key})
		}
		return result{record: deleteLogRecord{d.Path, d.Deleted, d.Removed, d.Deleted}}, err
	},
}

type deleteLogRecord struct {
	Path           string `json:"path"`
	Deleted        bool   `json:"deleted"`
	EntriesRemoved int64  `json:"entries_removed"`
	Final          bool   `json:"final,omitempty"` // there is no way back
}
