package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesEdit struct {
	Path      string        `arg:""`
	Old       string        `arg:""`
	New       string        `arg:"" help:"The text to put in its place; may be empty. A - is text, not standard input."`
	All       bool          `help:"Replace every occurrence."`
	IfVersion *flags.Number `placeholder:"N"`
}

// Run replaces the text.
func (c filesEdit) Run(p *process) error {
	open := p.openExisting
	if c.Old == "" {
		open = p.openDatabase
	}
	return p.withKept(open, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.EditFile(p.ctx, c.Path, c.Old, c.New, workspace.EditOptions{All: c.All,
			IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.answerWritten(writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes,
			Replacements: r.Replacements, LineEnds: r.LineEnds, Near: r.Near, Secrets: r.Secrets})
	})
}
