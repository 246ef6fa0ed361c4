package mcpserver

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var (
	path      = property{name: "path", kind: "string", required: true}
	ifVersion = property{name: "if_version", kind: "integer"} // described in write_file
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
	properties: []property{path,
		{name: "content", kind: "string", required: true},
		{name: "if_version", kind: "integer", description: "fail unless at this version; 0: unless new"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		w, err := ws.WriteFile(ctx, a.text("path"), []byte(a.text("content")), workspace.WriteOptions{IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		return result{record: writeRecord{w.Path, w.Version, w.Bytes}}, err
	},
}

type writeRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
}

var editFile = tool{
	name:        "edit_file",
	description: "Replace text in a file in your memory. old_text must be unique unless all is true; empty appends",
	scope:       reads | writes,
	weight:      medium,
	properties: []property{path,
		{name: "old_text", kind: "string", required: true},
		{name: "new_text", kind: "string", required: true},
		{name: "all", kind: "boolean"},
		ifVersion,
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		e, err := ws.EditFile(ctx, a.text("path"), a.text("old_text"), a.text("new_text"),
			workspace.EditOptions{All: a.flag("all"), IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		return result{record: editRecord{e.Path, e.Version, e.Bytes, e.Replacements}}, err
	},
}

type editRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
	Replacements int64  `json:"replacements"`
}

var moveFile = tool{
	name:        "move_file",
	description: "Move a file in your memory. Its versions go along, unless new_path had their numbers before",
	scope:       reads | writes,
	weight:      medium,
	properties:  []property{path, {name: "new_path", kind: "string", required: true}, ifVersion},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		m, err := ws.MoveFile(ctx, a.text("path"), a.text("new_path"), workspace.MoveOptions{IfVersion: a.number("if_version"), IdempotencyKey: a.key})
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
	description: "Delete a file in your memory and its versions",
	scope:       writes,
	weight:      light,
	destructive: true,
	idempotent:  true,
	properties:  []property{path, ifVersion},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		d, err := ws.DeleteFile(ctx, a.text("path"), workspace.DeleteOptions{IfVersion: a.number("if_version"), IdempotencyKey: a.key})
		return result{record: deleteRecord{d.Path, d.Deleted, d.Removed}}, err
	},
}

type deleteRecord struct {
	Path            string `json:"path"`
	Deleted         bool   `json:"deleted"`
	VersionsRemoved int64  `json:"versions_removed"`
}
