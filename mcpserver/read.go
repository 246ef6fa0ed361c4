package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// readFile returns the tool that reads a file. Its bodies cost at most o.MaxReadTokens.
func readFile(o Options) tool {
	return tool{
		name: "read_file",
		description: "Read a file in your memory: whole, some lines, an old version, " +
			"or what changed since a version, with context_lines around",
		scope:  reads,
		weight: large,
		home:   true,
		properties: []strictjson.Field{path,
			{Name: "since_version", Kind: "integer"},
			{Name: "context_lines", Old: "context", Kind: "integer"},
			{Name: "version", Kind: "integer"},
			{Name: "from_line", Kind: "integer"},
			{Name: "to_line", Kind: "integer"},
			{Name: "section", Kind: "string", Description: "a Markdown heading"},
		},
		run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
			asked := workspace.ReadOptions{
				Since: a.Integer("since_version"), Version: a.Integer("version"),
				Context:  toInt(a.Integer("context_lines")),
				FromLine: toInt(a.Integer("from_line")), ToLine: toInt(a.Integer("to_line")),
				Section:   a.Text("section"),
				MaxTokens: o.MaxReadTokens,
				Zeros:     a.zeros(), Compare: a.compare,
			}
			r, err := ws.ReadFile(ctx, a.Text("path"), asked)
			if err != nil {
				return result{}, err
			}
			r.Path = a.under + r.Path
			return readResult(r, asked, o.Summarizer != nil), nil
		},
	}
}

// readRecord has the fields of all cases. The fields that a case does not have are left
// out.
type readRecord struct {
	Path           string          `json:"path"`
	CurrentVersion int64           `json:"current_version"`
	FromProject    string          `json:"from_project,omitempty"` // see [workspace.Workspace.From]
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
	Truncated      bool            `json:"truncated,omitempty"`
	CutBytes       int64           `json:"cut_bytes,omitempty"`
	ChangedLines   [][2]int        `json:"changed_lines,omitzero"`
	RemovedLines   [][2]int        `json:"removed_lines,omitempty"` // lines of since_version
	Hint           string          `json:"hint,omitempty"`
}

func readResult(r workspace.ReadResult, o workspace.ReadOptions, summaries bool) result {
	rec := readRecord{
		Path: r.Path, CurrentVersion: r.Current, FromProject: r.Project, SinceVersion: r.Since, Unchanged: r.Unchanged,
		DiffLarger: r.DiffLarger, Truncated: r.Truncated,
	}
	switch {
	case r.Unchanged:
		return result{record: rec}
	case r.Diff != nil:
		rec.VersionTooOld = &r.VersionTooOld
		rec.Diff = r.DiffJSON
		return result{record: rec}
	case r.Changed != nil:
		rec.VersionTooOld, rec.Lines = &r.VersionTooOld, &r.Lines
		rec.ChangedLines, rec.RemovedLines = pairs(r.Changed), pairs(r.Removed)
		rec.Hint = readRanges(r)
		return result{record: rec}
	}
	switch {
	case r.VersionTooOld:
		rec.SinceVersion, rec.VersionTooOld = 0, &r.VersionTooOld
	case r.DiffLarger:
		rec.SinceVersion = 0
	default: // the cases above have a flag in place of the sizes, so that they cost no more than a plain read
		rec.Bytes, rec.Lines = &r.Bytes, &r.Lines
	}
	if o.Version != 0 {
		rec.Version = r.Version
	}
	if rec.ToLine = r.ToLine; o.FromLine != 0 || o.ToLine != 0 || o.Section != "" {
		rec.FromLine = r.FromLine
	}
	if r.Truncated {
		rec.Lines, rec.CutBytes = &r.Lines, r.CutBytes
		rec.Hint = goOn(r, o, summaries)
	}
	return result{record: rec, body: bodyOf(r)}
}

// bodyOf returns the content of a file, which is there even if it is empty.
func bodyOf(r workspace.ReadResult) []byte {
	if r.Content == nil {
		return []byte{}
	}
	return r.Content
}

func pairs(ranges []workspace.LineRange) [][2]int {
	all := make([][2]int, len(ranges))
	for i, r := range ranges {
		all[i] = [2]int{r.From, r.To}
	}
	return all
}

// readRanges says how to read the ranges of lines that stand in place of a diff.
func readRanges(r workspace.ReadResult) string {
	var ways []string
	if len(r.Changed) > 0 {
		ways = append(ways, "read changed lines with from_line and to_line")
	}
	if len(r.Removed) > 0 {
		ways = append(ways, fmt.Sprintf("read removed lines with version %d, from_line and to_line", r.Since))
	}
	if r.Joined {
		ways = append(ways, "the ranges cover unchanged lines too")
	}
	return "the diff is too long to send: " + strings.Join(ways, "; ")
}

// goOn says how to read the rest of a truncated body.
func goOn(r workspace.ReadResult, o workspace.ReadOptions, summaries bool) string {
	var ways []string
	if r.CutBytes > 0 {
		ways = append(ways, fmt.Sprintf("line %d is too long to send whole; "+
			"its rest cannot be read within the bound that the operator sets with --max-read-tokens", r.ToLine))
	}
	if end := cmp.Or(r.Section.To, r.Lines); r.ToLine < end {
		next := fmt.Sprintf("go on with from_line %d", r.ToLine+1)
		if r.Section.To > 0 {
			next += fmt.Sprintf(", to_line %d", end)
		}
		if o.Version != 0 {
			next += fmt.Sprintf(" and version %d", r.Version)
		}
		ways = append(ways, next)
	}
	if summaries && r.CanSummarize {
		ways = append(ways, summarizeName+" says what is where")
	}
	return strings.Join(ways, "; ")
}
