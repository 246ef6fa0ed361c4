package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	summarizeName  = "summarize_file"
	summaryTimeout = 3 * time.Minute // for a call that may wait for a model
)

// summarizeFile returns the tool of a server that has a Summarizer. It is marked as a
// read: the summary that it keeps is a cache.
func summarizeFile(s *workspace.Summarizer) tool {
	return tool{
		name:        summarizeName,
		description: "Summarize a long file in your memory",
		scope:       reads,
		weight:      medium,
		home:        true,
		openWorld:   s.Remote,
		properties:  []strictjson.Field{path},
		run:         summarize,
	}
}

type summaryRecord struct {
	Path            string `json:"path"`
	CurrentVersion  int64  `json:"current_version"` // the version that was summarised
	NewerVersion    int64  `json:"newer_version,omitempty"`
	Cached          bool   `json:"cached"`
	EstimatedTokens int64  `json:"estimated_tokens"`
	Method          string `json:"method"`
}

func summarize(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
	r, err := ws.Summarize(ctx, a.Text("path"), workspace.SummarizeOptions{})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && workspace.Kind(err) == nil:
		return result{}, fmt.Errorf("summarize %s: there is no summary yet, but it may be on its way; "+
			"ask again in a minute, or use read_file: %w", strictjson.Short(a.under+a.Text("path")),
			workspace.ErrBusy)
	case err != nil:
		return result{}, err
	}
	record := summaryRecord{
		Path: a.under + r.Path, CurrentVersion: r.Version, NewerVersion: r.Newer, Cached: r.Cached,
		EstimatedTokens: r.Tokens, Method: r.Method,
	}
	return result{record, []byte(derived(r) + "\n\n" + r.Text)}, nil
}

// derived returns the line that marks a summary. A model must not take a summary for the
// file, nor the lines of an outline for words of this server.
func derived(r workspace.SummaryResult) string {
	by := r.Method
	if r.Model != "" {
		by += " (" + r.Model + ")"
	}
	mark := fmt.Sprintf("Summary of version %d, made by %s; not the file's own words.", r.Version, by)
	if r.Method == "outline" {
		mark = fmt.Sprintf("Outline of version %d, in the file's own words.", r.Version)
	}
	if r.Newer > 0 {
		mark += fmt.Sprintf(" The file is at version %d now.", r.Newer)
	}
	return mark
}
