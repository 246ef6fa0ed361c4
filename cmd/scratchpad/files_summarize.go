package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesSummarize struct {
	Path string `arg:""`
}

type summaryRecord struct {
	Path            string `json:"path"`
	CurrentVersion  int64  `json:"current_version"`
	NewerVersion    int64  `json:"newer_version,omitempty"`
	Cached          bool   `json:"cached"`
	Stored          bool   `json:"stored"`
	EstimatedTokens int64  `json:"estimated_tokens"`
	Method          string `json:"method"`
	Model           string `json:"model,omitempty"`
	Summary         string `json:"summary"`
}

// Run prints the summary and keeps it.
func (c filesSummarize) Run(p *process) (err error) {
	if p.summarizer, _, err = p.line.Summaries.Choose(); err != nil {
		return err
	}
	if p.summarizer == nil {
		return invalid("summarize %s: summaries are off; --summarizer outline makes one", c.Path)
	}
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		show, end := terminal.Progress(p.err, "asking the model")
		r, err := ws.Summarize(p.ctx, c.Path, workspace.SummarizeOptions{Progress: func(done, total int) {
			if show != nil && total > 1 {
				show(int64(done), int64(total))
			}
		}})
		end()
		if err != nil {
			return err
		}
		return p.answerSummary(r)
	})
}

func (p *process) answerSummary(r workspace.SummaryResult) error {
	record := summaryRecord{
		Path: r.Path, CurrentVersion: r.Version, NewerVersion: r.Newer, Cached: r.Cached, Stored: r.Stored,
		EstimatedTokens: r.Tokens, Method: r.Method, Model: r.Model, Summary: r.Text,
	}
	return p.answer(record, func(out io.Writer) error {
		fmt.Fprintln(p.err, terminal.Cell(madeBy(r)))
		_, err := io.WriteString(p.screen(out), strings.TrimRight(r.Text, "\n")+"\n")
		return err
	})
}

// madeBy says how a summary was made.
func madeBy(r workspace.SummaryResult) string {
	text := fmt.Sprintf("%s: summary of version %d by %s", r.Path, r.Version, r.Method)
	if r.Model != "" {
		text += " (" + r.Model + ")"
	}
	switch {
	case r.Cached:
		text += ", kept from before"
	case r.Stored:
		text += ", made now and kept"
	default:
		text += ", made now and not kept"
	}
	if r.Newer > 0 {
		text += fmt.Sprintf("; the file is at version %d now", r.Newer)
	}
	return text
}
