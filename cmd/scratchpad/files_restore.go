package main

import (
	"errors"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesRestore struct {
	Path      string        `arg:""`
	Version   flags.Count   `arg:"" optional:"" help:"A version that is kept. Default, for a deleted file: the last one."`
	IfVersion *flags.Number `placeholder:"N" help:"Restore only if the file is at version N. 0: only if there is no file."`
}

// Run restores the version.
func (c filesRestore) Run(p *process) error {
	return p.withKept(p.openExisting, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.RestoreFile(p.ctx, c.Path,
			workspace.RestoreOptions{Version: int64(c.Version), IfVersion: (*int64)(c.IfVersion)})
		if c.Version == 0 && errors.Is(err, workspace.ErrConflict) && c.IfVersion == nil {
			return workspace.Errorf(workspace.ErrConflict, "restore %s: the file exists; say which version: "+
				"scratchpad files history lists them", c.Path)
		}
		if err != nil {
			return err
		}
		record := writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes}
		if c.Version == 0 {
			record.Restored = r.Restored
		}
		return p.answerWritten(record)
	})
}
