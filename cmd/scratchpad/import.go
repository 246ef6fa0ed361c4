package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/repository"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type importCommand struct {
	Dir    string `arg:"" optional:"" type:"path" help:"An export, or another folder of text files."`
	From   string `enum:",${sources}" default:"" placeholder:"PROGRAM" help:"Import the memory of another program: ${sources}."`
	DryRun bool   `help:"Show what would change, and change nothing."`
	All    bool   `help:"Import hidden names too, and what programs make for themselves."`
}

// Run imports a folder, or the memory of another program.
func (c importCommand) Run(p *process) error {
	source, place, err := c.place()
	if err != nil {
		return err
	}
	p.line.Secrets = flags.SecretRule{}                           // an import brings what is there
	p.keepVersions, p.dryRun = !p.given("max-versions"), c.DryRun // a server with a higher limit has kept more versions
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
		show, end := terminal.Progress(p.err, "importing")
		o := transfer.ImportOptions{DryRun: c.DryRun, All: c.All, Paths: p.line.Paths.PathRule, Words: failure.Words,
			Progress: show}
		var r transfer.Imported
		if c.From == "" {
			r, err = transfer.Import(p.ctx, ws, c.Dir, o)
		} else {
			c.Dir = place.Path()
			r, err = transfer.ImportFrom(p.ctx, ws, source, place, o)
		}
		end()
		return c.report(p, ws.Agent(), r, err)
	})
}

// place returns where the memory of another program is, if --from names one.
func (c importCommand) place() (s transfer.Source, p transfer.Place, err error) {
	s, _ = transfer.FindSource(c.From)
	switch {
	case c.From == "" && c.Dir == "":
		return s, p, invalid("name a folder, or a program with --from, such as --from claude-code")
	case c.From == "":
		return s, p, nil
	case c.All:
		return s, p, invalid("--all is for a folder without --from")
	case c.Dir != "":
		p, err = s.Named(c.Dir)
		return s, p, err
	}
	at, err := project.At(".")
	if err != nil {
		return s, p, err
	}
	here := at.Top()
	home, _ := os.UserHomeDir() // "": there is none
	around := transfer.Surroundings{Home: home, Project: here, Main: here, Getenv: func(name string) string {
		value, _ := native.Expand(os.Getenv(name))
		return value
	}}
	if repo, _ := repository.Find(here, ""); repo != nil { // Claude Code also takes a home that is one
		around.Main = repo.Main()
	}
	p, err = s.Usual(around)
	return s, p, err
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
	a := report.Import{Dir: c.Dir, From: c.From, Agent: agent, DryRun: c.DryRun, Imported: r}
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
