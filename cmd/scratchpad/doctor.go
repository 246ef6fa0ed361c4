package main

import (
	"errors"
	"io"

	"github.com/agent-scratchpad/scratchpad/internal/cli/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type doctorCommand struct {
	Scrub bool
}

// Run reports on the database.
func (c doctorCommand) Run(p *process) error {
	name, err := p.storedDatabase()
	if err != nil {
		return err
	}
	if p.onLine("secrets") && !p.line.Secrets.Look {
		return invalid("doctor takes --secrets without a value, to look for secrets")
	}
	most := p.line.StoreLimits
	o := doctor.Options{
		Database: pgurl.Short(name), IsDefault: p.line.DB == nil, Version: version(),
		Scrub: c.Scrub, Secrets: p.line.Secrets.Look,
		Limits:    workspace.StoreLimits{Agents: most.Agents, Bytes: most.TotalBytes},
		Summaries: p.line.Summaries.Choose, Logger: p.log, Text: failure.Text,
	}
	var r *doctor.Report
	if pgurl.Is(name) {
		r, err = doctor.ExamineServer(p.ctx, name, p.line.Postgres.Options(), o)
	} else {
		r, err = doctor.Examine(p.ctx, o)
	}
	if err != nil {
		return err
	}
	if err := p.answer(r, func(out io.Writer) error { return r.Print(out, p.paint) }); err != nil {
		return err
	}
	if r.Status == doctor.Problem {
		return failure.OfDatabase(errors.New("doctor found a problem"))
	}
	return nil
}

// openDoctor returns the options of the checks of a database that this process has open.
func (p *process) openDoctor() doctor.Options {
	o := doctor.Options{IsDefault: p.line.DB == nil, Version: build(), Summaries: p.line.Summaries.Choose,
		Logger: p.log, Text: failure.Text}
	if path, err := p.storedDatabase(); err == nil && !pgurl.Is(path) {
		o.Database = path
	}
	return o
}
