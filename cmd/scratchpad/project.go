package main

import (
	"context"
	"fmt"
	"os"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

// project returns the project of a folder. It writes nothing, and makes no database.
func (p *process) project(ctx context.Context, db *database.Handle, folder string) (project.Project, error) {
	place, err := project.At(folder)
	if err != nil {
		return project.Project{}, err
	}
	p.sayPassed(place)
	return p.projectAt(ctx, db, place)
}

func (p *process) projectAt(ctx context.Context, db *database.Handle, place project.Place) (project.Project, error) {
	r, err := p.projects(ctx, db)
	if err != nil {
		return project.Project{}, err
	}
	return r.Find(ctx, place)
}

// projects returns the records of projects. They are empty if there is no database.
func (p *process) projects(ctx context.Context, db *database.Handle) (r project.Records, err error) {
	if r.Tenant, _, err = p.tenantName(); err != nil {
		return r, err
	}
	name, err := p.databasePath(false)
	if err != nil {
		return r, err
	}
	r.Local = p.isFile()
	if db.Opened() == nil {
		if there, err := database.Exists(ctx, name, p.databaseOptions()); err != nil || !there {
			return r, err
		}
	}
	r.Service, err = db.Service(ctx)
	r.Store = db.Store()
	return r, err
}

// isFile reports whether the database is a file of this machine.
func (p *process) isFile() bool {
	name, err := p.databasePath(false)
	return err == nil && name != database.InMemory && !pgurl.Is(name)
}

// sayPassed says which folders named .git were passed over.
func (p *process) sayPassed(place project.Place) {
	for _, err := range place.Passed {
		fmt.Fprintf(p.err, "scratchpad: %s\n", terminal.OneLine(err.Error()))
	}
}

// clientFolder returns the folder that a client works in, for --project. The client says so by a
// variable, or starts this process there.
func clientFolder(given string) string {
	if given != "" && given != "." {
		return given
	}
	if folder := os.Getenv("CLAUDE_PROJECT_DIR"); folder != "" {
		return folder
	}
	return "."
}

// memory returns the name of the agent that the command is about: that of --agent, or of the
// project of the working folder. If the command may store something new, the project is settled.
func (p *process) memory(db *database.Handle) (agent string, err error) {
	agent, given, err := p.agentName()
	if err != nil || given {
		return agent, err
	}
	found, err := p.project(p.ctx, db, ".")
	if err != nil {
		return "", err
	}
	if found.Off {
		return "", found.OffError()
	}
	p.offer = found.OfferText()
	if p.projectName = found.Name; found.Name != "" && terminal.Is(p.err) && !p.line.JSON && !p.told {
		p.told = true
		fmt.Fprintf(p.err, "memory of project %s; --agent %s for your own\n", found.Name, defaultAgent)
	}
	if db.Looks() || p.dryRun || p.existing && !found.Settled {
		return found.Agent, nil
	}
	return found.Settle(p.ctx)
}
