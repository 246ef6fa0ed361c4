package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

type setupCommand struct {
	Client  []string `enum:"${clients}" placeholder:"NAME"`
	Project string   `type:"path" placeholder:"FOLDER"`
	Share   bool
	Bin     string `type:"path" placeholder:"FOLDER"`
	Yes     bool   `short:"y" help:"Do not ask first."`
	DryRun  bool   `help:"Show what would be done, and change nothing."`
	Undo    bool   `help:"Take back what setup has done: put every file back as it was."`
}

// Run sets everything up, or takes it back.
func (c setupCommand) Run(p *process) error {
	if err := c.check(p); err != nil {
		return err
	}
	journal := filepath.Join(filepath.Dir(database.Default()), "setup.json")
	if c.Undo {
		return c.undo(p, journal)
	}
	plan, err := c.plan(p, journal)
	if err != nil {
		return err
	}
	if !p.line.JSON {
		if err := plan.Print(p.out); err != nil {
			return err
		}
	}
	switch {
	case c.DryRun:
		return c.report(p, plan)
	case plan.Changed && !c.Yes && !terminal.Is(p.in):
		return invalid("nothing was changed, because there is no terminal to ask on; give --yes to make the " +
			"changes, or --dry-run to see them")
	case plan.Changed:
		if err := p.confirm(c.Yes, nil, "Make these changes?"); err != nil {
			return err
		}
	}
	if err := plan.Apply(p.ctx); err != nil {
		return err
	}
	for _, planned := range plan.Clients {
		if planned.Err == nil && len(planned.Edits) > 0 && !c.Share {
			planned.Err = planned.Check(p.ctx)
		}
	}
	return c.report(p, plan)
}

// check looks at the flags.
func (c setupCommand) check(p *process) error {
	if err := p.checkServer(); err != nil {
		return err
	}
	switch info, err := os.Stat(c.Project); {
	case database.Default() == "":
		return invalid("there is no home folder; set HOME")
	case c.Project != "" && (err != nil || !info.IsDir()):
		return invalid("--project: there is no folder %s; make it first, or name the folder of a project that you have",
			c.Project)
	case c.Share && p.line.DB != nil && !pgurl.Is(*p.line.DB):
		return invalid("--share writes a file for other computers too, which have no %s; leave --db out", *p.line.DB)
	}
	return nil
}

func (c setupCommand) plan(p *process, journal string) (*setup.Plan, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	called, err := native.Program(os.Args[0])
	if err != nil {
		return nil, err
	}
	place, err := project.At(".")
	if err != nil {
		return nil, err
	}
	if c.Share {
		c.Project = cmp.Or(c.Project, place.Top())
	}
	plan, err := setup.Make(setup.Options{
		Journal: journal, Program: self, Installed: called, Bin: c.Bin, Clients: c.Client, Here: place.Top(),
		IsRepo: place.InRepository(), Project: c.Project, Share: c.Share, Entry: p.setupEntry,
		Record: p.recordProject, Anew: p.line.Agent != nil || p.line.Tenant != nil || p.line.DB != nil,
	})
	ofProject := func(c *setup.Client) bool { return c.OfProject }
	if err == nil && c.Project != "" && !slices.ContainsFunc(plan.Clients, ofProject) {
		return nil, invalid("--project is for Cursor, and for --share; leave it out, because setup works for all " +
			"projects of the other clients")
	}
	return plan, err
}

// setupEntry returns what a client's file gets.
func (p *process) setupEntry(
	c clientconfig.Client, program string, kept []string,
) (e setup.Entry, err error) {
	s, m := clientconfig.Server{Args: kept}, clientconfig.MemoryOf(kept)
	if kept == nil {
		if m, err = p.memoryFor(c.Folder); err == nil {
			s, err = p.server(m, clientReadTokens)
		}
		if err != nil {
			return e, err
		}
	}
	s.Command = program
	hook := hookCommand(s)
	if c.Name == "claude-code" {
		hook = clientconfig.ForPowerShell(hook)
	}
	return setup.Entry{Server: s, Hook: hook, Memory: m.String(), Agent: m.Agent}, nil
}

// recordProject gives a folder the memory of a server that an older setup wrote into a file of the
// folder.
func (p *process) recordProject(folder string, args []string) error {
	old, line, m := *p, *p.line, clientconfig.MemoryOf(args)
	old.line, line.DB, line.Tenant = &line, nil, nil
	if m.Database != "" {
		line.DB = &m.Database
	}
	if m.Tenant != "" {
		line.Tenant = &m.Tenant
	}
	if m.Agent == "" || m.Database == database.InMemory {
		return nil
	}
	return old.use(old.openDatabase, func(db *database.Handle) error {
		records, err := old.projects(old.ctx, db)
		if err != nil {
			return err
		}
		return records.Adopt(old.ctx, folder, m.Agent)
	})
}

// report says what was done, and what to try first. Its error is what went wrong with clients.
func (c setupCommand) report(p *process, plan *setup.Plan) error {
	var errs []error
	for _, of := range plan.Clients {
		if of.Err == nil {
			continue
		}
		of.Error = terminal.OneLine(failure.Text(of.Err))
		errs = append(errs, fmt.Errorf("%s: %w", of.Title, of.Err))
	}
	answered := p.answer(plan, func(out io.Writer) error {
		if c.DryRun {
			_, err := fmt.Fprintln(out, "Nothing was changed.")
			return err
		}
		return plan.PrintDone(out)
	})
	return errors.Join(answered, errors.Join(errs...))
}

func (c setupCommand) undo(p *process, journal string) error {
	o := setup.UndoOptions{Journal: journal, Clients: c.Client, DryRun: true}
	all, err := setup.Undo(o)
	if err == nil && len(all) > 0 && !c.DryRun {
		if !c.Yes {
			for _, u := range all {
				if u.Err != nil {
					u.Did = failure.Text(u.Err)
				}
				p.note("%s\n  %s\n", terminal.OneLine(u.What), terminal.OneLine(u.Did))
			}
		}
		if err := p.confirm(c.Yes, []string{"--undo"}, "Take all of this back?"); err != nil {
			return err
		}
		o.DryRun = false
		all, err = setup.Undo(o)
	}
	if err != nil && len(all) == 0 {
		return err
	}
	errs := []error{err}
	for i, u := range all {
		if u.Err != nil {
			all[i].Error = terminal.OneLine(failure.Text(u.Err))
			errs = append(errs, u.Err)
		}
	}
	answered := p.answer(append([]setup.Undone{}, all...), func(out io.Writer) error {
		for _, u := range all {
			if u.Err == nil {
				fmt.Fprintf(out, "%s\n  %s\n", terminal.OneLine(u.What), terminal.OneLine(u.Did))
			}
		}
		if len(all) == 0 {
			fmt.Fprintln(out, "Nothing is left of setup.")
		}
		return nil
	})
	return errors.Join(append(errs, answered)...)
}
