package main

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesLs struct {
	Prefix  string `arg:"" optional:"" help:"List only paths that begin with this, such as notes/."`
	Deleted bool
}

type fileRecord struct {
	Path    string    `json:"path"`
	Version int64     `json:"version"`
	Bytes   int64     `json:"bytes"`
	Updated time.Time `json:"updated"`

	Deleter  *report.Author `json:"deleted_by,omitempty"`
	Until    time.Time      `json:"restorable_until,omitzero"` // zero: it exists
	Versions int64          `json:"versions_kept,omitempty"`   // of a deleted file
}

// Run lists the files below the prefix.
func (c filesLs) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		records := []fileRecord{}
		rows, none := [][]string{{"PATH", "VERSION", "BYTES", "UPDATED"}}, "no files%s of agent %s; scratchpad files "+
			"write PATH makes one, and scratchpad agents ls lists the agents for --agent"
		if c.Deleted {
			rows[0] = []string{"PATH", "VERSION", "BYTES", "DELETED", "UNTIL", "BY"}
			none = "no deleted files%s of agent %s"
		}
		for o := (workspace.ListOptions{Prefix: c.Prefix, Deleted: c.Deleted}); ; {
			page, err := ws.ListFiles(p.ctx, o)
			if err != nil {
				return err
			}
			for _, f := range page.Files {
				r := fileRecord{Path: f.Path, Version: f.Version, Bytes: f.Bytes, Updated: f.Updated.UTC()}
				row := terminal.Row(f.Path, f.Version, f.Bytes, f.Updated)
				if c.Deleted {
					r.Deleter, r.Until, r.Versions = report.AuthorOf(f.Deleter), f.Expires.UTC(), f.Versions
					row = append(row, terminal.Row(f.Expires, r.Deleter)...)
				}
				records, rows = append(records, r), append(rows, row)
			}
			if o.After = page.Next; !page.More {
				break
			}
		}
		return p.list(records, rows, none, below(c.Prefix), ws.Agent())
	})
}

func below(prefix string) string {
	if prefix == "" {
		return ""
	}
	return " below " + prefix
}
