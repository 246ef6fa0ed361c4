package main

import (
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// use runs fn on the database that open opens, and closes it.
func (p *process) use(open func() (*database, error), fn func(*database) error) (err error) {
	db, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

// with runs fn on the workspace of the agent that the command is about.
func (p *process) with(open func() (*database, error), fn func(*workspace.Workspace) error) error {
	return p.use(open, func(db *database) error {
		ws, err := db.workspace()
		if err != nil {
			return err
		}
		return p.sayAgent(fn(ws))
	})
}

// sayAgent tells who finds nothing that it is the default agent's memory which
// was searched.
func (p *process) sayAgent(err error) error {
	if p.line.Agent != nil || !errors.Is(err, workspace.ErrNotFound) {
		return err
	}
	return fmt.Errorf("%w (agent %s; --agent names another)", err, defaultAgent)
}

// peek reads what an agent has past the service, which would count each look as
// an operation of the agent.
func (d *database) peek(agent string, fn func(workspace.Reader) error) error {
	return d.store.View(d.p.ctx, workspace.Owner{Tenant: "local", Agent: agent}, fn)
}
