package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesMv struct {
	Path      string       `arg:""`
	New       string       `arg:"" help:"The new path. There must be no file."`
	IfVersion *flags.Count `placeholder:"N" help:"Move only if the file is at version N."`
}

type movedRecord struct {
	Path    string `json:"path"`
	From    string `json:"from"`
	Version int64  `json:"version"`
	Left    int64  `json:"left,omitempty"` // versions that stay at the old path
}

// Run moves the file.
func (c filesMv) Run(p *process) error {
	return p.withKept(p.openExisting, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.MoveFile(p.ctx, c.Path, c.New, workspace.MoveOptions{IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		left := ""
		if r.Left > 0 {
			left = "; " + phrase.Plural(r.Left, "version") + " left there, as of a deleted file"
		}
		return p.say(movedRecord{r.Path, r.From, r.Version, r.Left}, "%s: version %d, moved from %s%s",
			r.Path, r.Version, r.From, left)
	})
}
