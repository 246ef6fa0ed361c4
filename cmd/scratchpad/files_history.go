package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesHistory struct {
	Path string `arg:"" help:"The file."`
}

type versionRecord struct {
	Version int64          `json:"version"`
	Bytes   int64          `json:"bytes"`
	Updated time.Time      `json:"updated"`
	Author  *report.Author `json:"author,omitempty"`
	Project string         `json:"project,omitempty"` // that it was written from

	Redacted *redactedRecord `json:"redacted,omitempty"` // nil: it has its text
}

// Run lists the versions.
func (c filesHistory) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		versions, err := ws.History(p.ctx, c.Path)
		if err != nil {
			return err
		}
		records := []versionRecord{}
		rows := [][]string{{"VERSION", "BYTES", "UPDATED", "AUTHOR"}}
		for _, v := range versions {
			by, redacted := report.AuthorOf(v.Author), redactedOf(v.Redacted)
			records = append(records, versionRecord{Version: v.Version, Bytes: v.Bytes, Updated: v.Time.UTC(),
				Author: by, Project: v.Project,
				Redacted: redacted})
			bytes, author := fmt.Sprint(v.Bytes), by.String()
			if v.Project != "" {
				author = strings.TrimSpace(author + " from project " + v.Project)
			}
			if redacted != nil {
				bytes, author = "-", strings.TrimSpace(author+" (redacted "+redacted.String()+")")
			}
			rows = append(rows, terminal.Row(v.Version, bytes, v.Time, author))
		}
		return p.answer(records, p.table(rows))
	})
}
