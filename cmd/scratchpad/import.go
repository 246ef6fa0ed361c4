package main

import (
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type importCommand struct {
	Dir    string `arg:"" type:"path" help:"An export, or another folder of text files."`
	DryRun bool   `help:"Show what would change, and change nothing."`
	All    bool   `help:"Import hidden names too, and what programs make for themselves."`
}

// Run imports a folder.
func (c importCommand) Run(p *process) error {
	p.keepVersions = !p.versionsGiven // which a server with a higher limit has kept
	open := p.openDatabase
	if c.DryRun {
		open = p.openToLook
	}
	db, err := open()
	if c.DryRun && errors.Is(err, workspace.ErrNotFound) { // everything would be new
		inMemory := database.InMemory
		p.line.DB = &inMemory
		db, err = p.openDatabase()
	}
	if err != nil {
		return err
	}
	return p.use(func() (*database.Handle, error) { return db, nil }, func(db *database.Handle) error {
		ws, err := p.importing(db)
		if err != nil {
			return err
		}
		show, end := terminal.Progress(p.err, "importing", terminal.Bytes)
		r, err := transfer.Import(p.ctx, ws, c.Dir, transfer.ImportOptions{DryRun: c.DryRun, All: c.All,
			Paths: p.line.Paths.PathRule, Words: failure.Words, Progress: show})
		end()
		return c.report(p, ws.Agent(), r, err)
	})
}

// importing returns a workspace whose reads are not counted.
func (p *process) importing(db *database.Handle) (*workspace.Workspace, error) {
	ws, err := p.workspace(db)
	if err != nil {
		return nil, err
	}
	look, err := db.Opened().Look(ws.Agent())
	if err != nil {
		return nil, err
	}
	return look.As(ws.Author()), nil
}

// report answers with what an import did, also if it ended with an error.
func (c importCommand) report(p *process, agent string, r transfer.Imported, failed error) error {
	a := report.ImportOf(c.Dir, agent, c.DryRun, r)
	if failed != nil && len(a.Changes)+len(a.LeftOut)+len(a.Skipped) == 0 {
		return failed
	}
	if err := p.answer(a, a.Print); err != nil {
		return errors.Join(failed, err)
	}
	left := int64(len(a.LeftOut)) + a.Omitted
	switch {
	case failed != nil && !c.DryRun:
		return failure.Followed(failed, "what was imported stays; run the import again to go on")
	case failed != nil:
		return failed
	case left > 0:
		return fmt.Errorf("%s %w; the list says why", phrase.Plural(left, "name"), failure.ErrLeftOut)
	}
	return nil
}
