package main

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesLs struct {
	Prefix string `arg:"" optional:"" help:"List only paths that begin with this, such as notes/."`
}

type fileRecord struct {
	Path    string    `json:"path"`
	Version int64     `json:"version"`
	Bytes   int64     `json:"bytes"`
	Updated time.Time `json:"updated"`
}

// Run lists the files below the prefix.
func (c filesLs) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		records := []fileRecord{}
		rows := [][]string{{"PATH", "VERSION", "BYTES", "UPDATED"}}
		for o := (workspace.ListOptions{Prefix: c.Prefix}); ; {
			page, err := ws.ListFiles(p.ctx, o)
			if err != nil {
				return err
			}
			for _, f := range page.Files {
				records = append(records, fileRecord{Path: f.Path, Version: f.Version, Bytes: f.Bytes,
					Updated: f.Updated.UTC()})
				rows = append(rows, terminal.Row(f.Path, f.Version, f.Bytes, f.Updated))
			}
			if o.After = page.Next; !page.More {
				break
			}
		}
		return p.list(records, rows, "no files%s of agent %s; scratchpad files write PATH makes one, and scratchpad "+
			"agents ls lists the agents for --agent", below(c.Prefix), ws.Agent())
	})
}

func below(prefix string) string {
	if prefix == "" {
		return ""
	}
	return " below " + prefix
}
