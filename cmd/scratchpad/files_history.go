package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesHistory struct {
	Path string `arg:""`
}

type versionRecord struct {
	Version int64          `json:"version"`
	Bytes   int64          `json:"bytes"`
	Updated time.Time      `json:"updated"`
	Author  *report.Author `json:"author,omitempty"`
	Project string         `json:"project,omitempty"` // that it was written from

	Redacted *redactedRecord `json:"redacted,omitempty"` // nil: it has its text
	Deleted  *deletedRecord  `json:"deleted,omitempty"`  // of the last version of a deleted file
}

// A deletedRecord says that a file is deleted.
type deletedRecord struct {
	Time   time.Time      `json:"time"`
	Author *report.Author `json:"author,omitempty"`
	Until  time.Time      `json:"restorable_until"`
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
			rows = append(rows, terminal.Row(v.Version, bytes, phrase.Time(v.Time), author))
		}
		var d *workspace.Deletion
		last := &records[len(records)-1]
		_, err = ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{Since: last.Version})
		if errors.As(err, &d) {
			by := report.AuthorOf(d.Deleter)
			last.Deleted = &deletedRecord{d.Time.UTC(), by, d.Until.UTC()}
			until := "(restorable until " + untilText(time.Now(), d.Until) + ")"
			rows = append(rows, terminal.Row("deleted", "-", phrase.Time(d.Time),
				strings.TrimSpace(by.String()+" "+until)))
		}
		return p.answer(records, p.table(rows))
	})
}
