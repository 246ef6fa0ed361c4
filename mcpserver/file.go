package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var writeFile = tool{
	name:        "write_file",
	description: "Write a file whole, as a new version.",
	write:       true,
	properties: []property{
		{name: "path", kind: "string", required: true},
		{name: "content", kind: "string", required: true},
		{name: "if_version", kind: "integer", description: "only if it is at this version; 0: only if new"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		w, err := ws.WriteFile(ctx, a.text("path"), []byte(a.text("content")), workspace.WriteOptions{IfVersion: a.number("if_version")})
		if err != nil {
			return result{}, err
		}
		return result{record: writeRecord{Path: w.Path, Version: w.Version, BytesWritten: w.Bytes}}, nil
	},
}

type writeRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
}

var readFile = tool{
	name:        "read_file",
	description: "Read a file, some of its lines, an older version, or with since_version what changed.",
	properties: []property{
		{name: "path", kind: "string", required: true},
		{name: "since_version", kind: "integer", description: "the version you know"},
		{name: "context", kind: "integer", description: "equal lines around a change; -1: all"},
		{name: "version", kind: "integer"},
		{name: "from_line", kind: "integer"},
		{name: "to_line", kind: "integer"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		o := workspace.ReadOptions{}
		for name, field := range map[string]*int64{"since_version": &o.Since, "version": &o.Version} {
			if n := a.number(name); n != nil {
				*field = given(*n)
			}
		}
		for name, field := range map[string]*int{"from_line": &o.FromLine, "to_line": &o.ToLine} {
			if n := a.number(name); n != nil {
				*field = int(given(*n))
			}
		}
		if n := a.number("context"); n != nil {
			o.Context = int(*n)
		}
		r, err := ws.ReadFile(ctx, a.text("path"), o)
		if err != nil {
			return result{}, err
		}
		return readResult(r, o), nil
	},
}

// given is a number that the options take for absent when it is 0, and that is
// below 1 all the same.
func given(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
}

// readRecord has the fields of every case; those that a case has not are left out.
type readRecord struct {
	Path           string          `json:"path"`
	CurrentVersion int64           `json:"current_version"`
	SinceVersion   int64           `json:"since_version,omitempty"`
	Unchanged      bool            `json:"unchanged,omitempty"`
	VersionTooOld  *bool           `json:"version_too_old,omitempty"`
	DiffLarger     bool            `json:"diff_larger,omitempty"`
	Diff           json.RawMessage `json:"diff,omitempty"`
	Version        int64           `json:"version,omitempty"`
	Bytes          *int64          `json:"bytes,omitempty"`
	Lines          *int            `json:"lines,omitempty"`
	FromLine       int             `json:"from_line,omitempty"`
	ToLine         int             `json:"to_line,omitempty"`
	Large          bool            `json:"large,omitempty"`
}

func readResult(r workspace.ReadResult, o workspace.ReadOptions) result {
	rec := readRecord{Path: r.Path, CurrentVersion: r.Current, SinceVersion: r.Since, Unchanged: r.Unchanged, DiffLarger: r.DiffLarger}
	switch {
	case r.Unchanged:
		return result{record: rec}
	case r.Diff != nil:
		rec.VersionTooOld = &r.VersionTooOld
		rec.Diff = linediff.AppendJSON(nil, r.Diff)
		return result{record: rec}
	}
	if r.VersionTooOld {
		rec.VersionTooOld = &r.VersionTooOld
	}
	if o.Version != 0 {
		rec.Version = r.Version
	}
	rec.Bytes, rec.Lines, rec.FromLine, rec.ToLine, rec.Large = &r.Bytes, &r.Lines, r.FromLine, r.ToLine, r.Large
	if r.Content == nil {
		r.Content = []byte{}
	}
	return result{record: rec, body: r.Content}
}
