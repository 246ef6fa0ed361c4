package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesRestore struct {
	Path      string       `arg:"" help:"The file."`
	Version   flags.Count  `arg:"" help:"A version that is kept."`
	IfVersion *flags.Count `placeholder:"N" help:"Restore only if the file is at version N."`
}

// Run restores the version.
func (c filesRestore) Run(p *process) error {
	return p.withKept(p.openExisting, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.RestoreFile(p.ctx, c.Path,
			workspace.RestoreOptions{Version: int64(c.Version), IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.answerWritten(writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes})
	})
}
