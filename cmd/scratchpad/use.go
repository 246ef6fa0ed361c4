package main

import (
	"errors"

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

// sayAgent tells the user that the command looked in the memory of the default
// agent and found no file or log there.
func (p *process) sayAgent(err error) error {
	if p.line.Agent != nil || !errors.Is(err, workspace.ErrNotFound) || isOfVersion(err) {
		return err
	}
	return hinted{err, "agent " + defaultAgent + "; --agent names another"}
}

// isOfVersion reports whether an error is about a version of a file that exists.
func isOfVersion(err error) bool {
	var e *workspace.Error
	return errors.As(err, &e) && e.Way.Do == workspace.DoUseVersion
}
