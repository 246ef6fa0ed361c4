package main

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/change"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesHistory struct {
	Path string `arg:"" help:"The file."`
}

// Help is shown by scratchpad files history --help.
func (filesHistory) Help() string {
	return `The oldest version comes first. As many as --max-versions are kept. To compare two, run scratchpad files diff.

Examples:

  scratchpad files history plan.md`
}

type versionRecord struct {
	Version int64          `json:"version"`
	Bytes   int64          `json:"bytes"`
	Updated time.Time      `json:"updated"`
	Author  *change.Author `json:"author,omitempty"`
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
			by := change.AuthorOf(v.Author)
			records = append(records, versionRecord{Version: v.Version, Bytes: v.Bytes, Updated: v.Time.UTC(), Author: by})
			rows = append(rows, []string{fmt.Sprint(v.Version), fmt.Sprint(v.Bytes), phrase.Time(v.Time), terminal.Cell(by.String())})
		}
		return p.answer(records, p.table(rows))
	})
}
