package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

type setupCommand struct {
	Client  []string `enum:"${clients}" placeholder:"NAME"`
	Project string   `type:"path" default:"." placeholder:"FOLDER"`
	Bin     string   `type:"path" placeholder:"FOLDER"`
	Yes     bool     `short:"y" help:"Do not ask first."`
	DryRun  bool     `help:"Show what would be done, and change nothing."`
	Undo    bool     `help:"Take back what setup has done: put every file back as it was."`
}

// Run sets everything up, or takes it back.
func (c setupCommand) Run(p *process) error {
	if err := p.checkServer(); err != nil {
		return err
	}
	if database.Default() == "" {
		return invalid("there is no home folder; set HOME")
	}
	if info, err := os.Stat(c.Project); err != nil || !info.IsDir() {
		return invalid("--project: there is no folder %s; make it first, or name the folder of a project that you have",
			c.Project)
	}
	journal := filepath.Join(filepath.Dir(database.Default()), "setup.json")
	if c.Undo {
		return c.undo(p, journal)
	}
	plan, err := c.plan(p, journal)
	if err != nil {
		return err
	}
	changes := plan.Changes()
	if !p.line.JSON {
		if err := plan.Print(p.out); err != nil {
			return err
		}
	}
	switch {
	case c.DryRun:
		return errors.Join(c.report(p, plan, nil, changes), setupErrors(plan))
	case changes && !c.Yes && !terminal.Is(p.in):
		return invalid("nothing was changed, because there is no terminal to ask on; give --yes to make the " +
			"changes, or --dry-run to see them")
	case changes:
		if err := p.confirm(c.Yes, nil, "Make these changes?"); err != nil {
			return err
		}
	}
	if err := plan.Apply(p.ctx); err != nil {
		return err
	}
	tools := map[string][]string{}
	for _, planned := range plan.Clients {
		if planned.Err == nil {
			tools[planned.Client.Name], planned.Err = planned.Check(p.ctx, c.Project)
		}
	}
	return errors.Join(c.report(p, plan, tools, changes), setupErrors(plan))
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
	o := setup.Options{
		Journal: journal, Program: self, Installed: called, Bin: c.Bin,
		Clients: c.Client, Project: c.Project, Entry: p.setupEntry, DefaultAgent: defaultAgent,
	}
	if path, err := p.storedDatabase(); err == nil && !pgurl.Is(path) {
		o.Database, o.DatabaseFiles = path, sqlite.Files(path)
	}
	return setup.Make(o)
}

// setupEntry returns what a client's file gets. With keep a server that is there keeps its
// arguments, unless the command line names an agent, a tenant or a database.
func (p *process) setupEntry(c clientconfig.Client, file, program string, keep bool) (e setup.Entry, err error) {
	s, keeps := clientconfig.Server{}, false
	if keep && p.line.Agent == nil && p.line.Tenant == nil && p.line.DB == nil {
		have, err := c.ReadEntry(file, setup.ServerName)
		if err != nil {
			return e, err
		}
		s, _ = have.Server()
		keeps = len(s.Args) > 0 && s.Args[0] == "mcp"
	}
	var m clientconfig.Memory
	if keeps {
		m = clientconfig.MemoryOf(s.Args)
		m.Project, err = clientconfig.Project(file)
	} else if m, err = p.memoryOf(file); err == nil {
		s, err = p.server(m, clientReadTokens)
	}
	if err != nil {
		return e, err
	}
	s.Command = program
	e = setup.Entry{Server: s, Memory: m.String(), Agent: m.Agent, Record: func() error { return p.takeMemory(m) }}
	if c.Name == "claude-code" {
		e.Hook = hookCommand(s)
	}
	return e, nil
}

// report says what was done, and what to try first. tools are those of each server.
func (c setupCommand) report(p *process, plan *setup.Plan, tools map[string][]string, changed bool) error {
	r := plan.Report(tools, changed, failure.Text)
	return p.answer(r, func(out io.Writer) error {
		if c.DryRun {
			_, err := fmt.Fprintln(out, "Nothing was changed.")
			return err
		}
		return r.Print(out, plan)
	})
}

// setupErrors returns what went wrong with clients.
func setupErrors(plan *setup.Plan) error {
	var errs []error
	for _, c := range plan.Clients {
		if c.Err == nil {
			continue
		}
		err := fmt.Errorf("%s: %w", c.Client.Title, c.Err)
		if errors.Is(err, clientconfig.ErrTaken) {
			err = fmt.Errorf("%w; remove that one and run setup again, or add what scratchpad client-config %s "+
				"prints by another name", err, c.Client.Name)
		}
		errs = append(errs, failure.OfClientFile(err))
	}
	return errors.Join(errs...)
}

// undone is one thing in the answer of --undo.
type undone struct {
	setup.Undone
	Error string `json:"error,omitempty"`
}

func (c setupCommand) undo(p *process, journal string) error {
	all, err := setup.Undo(setup.UndoOptions{Journal: journal, Clients: c.Client, DryRun: c.DryRun})
	if err != nil && len(all) == 0 {
		return err
	}
	records, errs := []undone{}, []error{err}
	for _, u := range all {
		record := undone{Undone: u}
		if u.Err != nil {
			record.Error = terminal.OneLine(failure.Text(u.Err))
			errs = append(errs, failure.OfClientFile(u.Err))
		}
		records = append(records, record)
	}
	answered := p.answer(records, func(out io.Writer) error {
		for _, r := range records {
			if r.Err == nil {
				fmt.Fprintf(out, "%s\n  %s\n", terminal.OneLine(r.What), terminal.OneLine(r.Did))
			}
		}
		if len(records) == 0 {
			fmt.Fprintln(out, "Nothing is left of setup.")
		}
		return nil
	})
	return errors.Join(append(errs, answered)...)
}
