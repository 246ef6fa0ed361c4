package main

import (
	"io"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesCat struct {
	Path     string      `arg:""`
	Version  flags.Count `placeholder:"N" help:"Print version N instead of the current one."`
	FromLine flags.Count `placeholder:"N" help:"Begin at line N."`
	ToLine   flags.Count `placeholder:"N" help:"End with line N."`
	Section  string      `placeholder:"HEADING" help:"Print only the section of Markdown with this heading."`
}

type contentRecord struct {
	Path           string `json:"path"`
	CurrentVersion int64  `json:"current_version"`
	Version        int64  `json:"version"`
	Bytes          int64  `json:"bytes"`
	Lines          int    `json:"lines"`
	FromLine       int    `json:"from_line,omitempty"`
	ToLine         int    `json:"to_line,omitempty"`
	Content        string `json:"content"`
}

// Run prints the file.
func (c filesCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		r, err := ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{Version: int64(c.Version), FromLine: int(c.FromLine),
			ToLine: int(c.ToLine), Section: c.Section})
		if err != nil {
			return err
		}
		record := contentRecord{
			Path: r.Path, CurrentVersion: r.Current, Version: r.Version, Bytes: r.Bytes, Lines: r.Lines,
			FromLine: r.FromLine, ToLine: r.ToLine, Content: string(r.Content),
		}
		return p.answer(record, func(out io.Writer) error {
			_, err := p.screen(out).Write(r.Content)
			return err
		})
	})
}
