package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesMv struct {
	Path      string       `arg:"" help:"The file."`
	New       string       `arg:"" help:"The new path. There must be no file."`
	IfVersion *flags.Count `placeholder:"N" help:"Move only if the file is at version N."`
}

type movedRecord struct {
	Path    string `json:"path"`
	From    string `json:"from"`
	Version int64  `json:"version"`
}

// Run moves the file.
func (c filesMv) Run(p *process) error {
	return p.withKept(p.openExisting, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.MoveFile(p.ctx, c.Path, c.New, workspace.MoveOptions{IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.say(movedRecord{Path: r.Path, From: r.From, Version: r.Version}, "%s: version %d, moved from %s",
			r.Path,
			r.Version, r.From)
	})
}
