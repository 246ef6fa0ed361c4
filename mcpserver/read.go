package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var readFile = tool{
	name:        "read_file",
	description: "Read a file, some lines, an old version, or only what changed since a version you have",
	properties: []property{path,
		{name: "since_version", kind: "integer", description: "returns a diff"},
		{name: "context", kind: "integer", description: "equal lines around changes; -1: all"},
		{name: "version", kind: "integer", least: 1},
		{name: "from_line", kind: "integer", least: 1},
		{name: "to_line", kind: "integer", least: 1},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		o := workspace.ReadOptions{
			Since: a.since(), Version: a.integers["version"], Context: toInt(a.integers["context"]),
			FromLine: toInt(a.integers["from_line"]), ToLine: toInt(a.integers["to_line"]),
		}
		if a.has("context") && !a.has("since_version") {
			return result{}, invalid("context needs since_version; leave it out, or say which version you have")
		}
		r, err := ws.ReadFile(ctx, a.text("path"), o)
		if err != nil {
			return result{}, err
		}
		return readResult(r, o), nil
	},
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
	Hint           string          `json:"hint,omitempty"`
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
	switch {
	case r.VersionTooOld:
		rec.SinceVersion, rec.VersionTooOld = 0, &r.VersionTooOld
	case r.DiffLarger:
		rec.SinceVersion = 0
	default: // the flag takes the place of the sizes, so that no answer costs more than a plain read
		rec.Bytes, rec.Lines = &r.Bytes, &r.Lines
	}
	if o.Version != 0 {
		rec.Version = r.Version
	}
	rec.FromLine, rec.ToLine = r.FromLine, r.ToLine
	if rec.Large = r.Large; r.Large {
		rec.Hint = "read a part with from_line and to_line"
	}
	if r.Content == nil {
		r.Content = []byte{}
	}
	return result{record: rec, body: r.Content}
}
