package mcpserver

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var (
	path      = strictjson.Field{Name: "path", Kind: "string", Required: true}
	ifVersion = strictjson.Field{Name: "if_version", Kind: "integer"} // described in write_file
)

// agentIDMeaning describes agent_id once in the list of tools, at the tool that begins a
// memory.
const agentIDMeaning = "the name the user gave you, the same every time"

var writeFile = tool{
	name:        "write_file",
	agentID:     agentIDMeaning,
	description: "Write a file in your memory",
	scope:       writes,
	weight:      light,
	home:        true,
	properties: []strictjson.Field{path,
		{Name: "content", Kind: "string"},
		{Name: "restore_version", Kind: "integer", Description: "in place of content, also of a deleted file"},
		{Name: "if_version", Kind: "integer", Description: "fail unless at this version; 0: unless new"},
	},
	prepare: func(a *arguments) error {
		switch version := a.restores(); {
		case version != nil && a.Has("content"):
			return invalid("content and restore_version exclude each other; give one")
		case version != nil && *version < 1:
			return invalid("restore_version is %d, the least is 1", *version)
		case version == nil && !a.Has("content"):
			return invalid("argument content is missing; give it as a string, not null, or give restore_version")
		}
		return nil
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		if version := a.restores(); version != nil {
			w, err := ws.RestoreFile(ctx, a.Text("path"), workspace.RestoreOptions{Version: *version,
				IfVersion: a.number("if_version"), IdempotencyKey: a.key})
			return result{record: writeRecord{a.under + w.Path, w.Version, w.Bytes, nil}}, err
		}
		w, err := ws.WriteFile(ctx, a.Text("path"), []byte(a.Text("content")),
			workspace.WriteOptions{IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		return result{record: writeRecord{a.under + w.Path, w.Version, w.Bytes, w.Secrets}}, err
	},
}

// restores returns the version to restore; nil: none. Some clients give 0 for numbers that they
// leave out.
func (a *arguments) restores() *int64 {
	version := a.number("restore_version")
	if version != nil && *version == 0 && a.Has("content") {
		return nil
	}
	return version
}

type writeRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
	*workspace.Secrets
}

var editFile = tool{
	name:        "edit_file",
	description: "Replace text in a file in your memory. old_text must be unique unless all is true; empty appends",
	scope:       reads | writes,
	weight:      medium,
	home:        true,
	properties: []strictjson.Field{path,
		{Name: "old_text", Kind: "string", Required: true},
		{Name: "new_text", Kind: "string", Required: true},
		{Name: "all", Kind: "boolean"},
		ifVersion,
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		e, err := ws.EditFile(ctx, a.Text("path"), a.Text("old_text"), a.Text("new_text"),
			workspace.EditOptions{All: a.Flag("all"), IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		if e.Near != "" {
			e.Near = a.under + e.Near
		}
		return result{record: editRecord{a.under + e.Path, e.Version, e.Bytes, e.Replacements, e.LineEnds, e.Near,
			e.Secrets}}, err
	},
}

type editRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
	Replacements int64  `json:"replacements"`
	LineEnds     string `json:"line_ends,omitempty"`
	Near         string `json:"near,omitempty"`
	*workspace.Secrets
}

var moveFile = tool{
	name:        "move_file",
	description: "Move a file in your memory. Its versions go along, unless new_path had their numbers before",
	scope:       reads | writes,
	weight:      medium,
	properties:  []strictjson.Field{path, {Name: "new_path", Kind: "string", Required: true}, ifVersion},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		m, err := ws.MoveFile(ctx, a.Text("path"), a.Text("new_path"),
			workspace.MoveOptions{IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		return result{record: moveRecord{m.Path, m.From, m.Version}}, err
	},
}

type moveRecord struct {
	Path    string `json:"path"`
	From    string `json:"from"`
	Version int64  `json:"version"`
}

var deleteFile = tool{
	name:        "delete_file",
	description: "Delete a file in your memory. write_file's restore_version brings it back",
	scope:       writes,
	weight:      light,
	home:        true,
	destructive: true,
	idempotent:  true,
	properties:  []strictjson.Field{path, ifVersion},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		d, err := ws.DeleteFile(ctx, a.Text("path"),
			workspace.DeleteOptions{IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		rec := deleteRecord{Path: a.under + d.Path, Deleted: d.Deleted, Kept: d.Versions}
		if d.Versions > 0 {
			rec.Until = d.Until.Format(time.RFC3339)
		} else if d.Deleted {
			rec.Removed = &d.Removed
		}
		return result{record: rec}, err
	},
}

type deleteRecord struct {
	Path    string `json:"path"`
	Deleted bool   `json:"deleted"`
	Kept    int64  `json:"versions_kept,omitempty"`
	Until   string `json:"restorable_until,omitempty"`
	Removed *int64 `json:"versions_removed,omitempty"` // for good
}
