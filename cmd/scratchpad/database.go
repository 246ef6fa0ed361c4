package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// newDatabase returns the database of the command, which is opened when it is needed first.
func (p *process) newDatabase(o database.HandleOptions) *database.Handle {
	o.Options = p.databaseOptions()
	o.Name = p.databasePath
	o.Service = func() (workspace.Options, error) {
		o, err := p.options()
		o.Summarizer, o.SummaryTokens = p.summarizer, int64(p.line.Summaries.SummaryTokensPerMonth)
		return o, err
	}
	return database.NewHandle(o)
}

// options returns what the flags of all commands say of a service.
func (p *process) options() (workspace.Options, error) {
	tenant, _, err := p.tenantName()
	if p.line.Secrets.Look {
		err = invalid("--secrets needs off, warn or refuse; only doctor takes it without")
	}
	return workspace.Options{Tenant: tenant, Limits: workspace.Limits(p.line.Limits),
		Store: p.line.StoreLimits.Options(), Paths: p.line.Paths.PathRule, KeepVersions: p.keepVersions,
		Secrets:     p.line.Secrets.SecretRule,
		KeepDeleted: p.line.KeepDeleted.Duration, CountTokens: o200k.Count}, err
}

// openToLook opens the database for a command that only looks. It waits for no
// other process and changes no byte, and its reads are not counted as operations of
// an agent.
func (p *process) openToLook() (*database.Handle, error) {
	return p.opening(database.HandleOptions{Look: true})()
}

// openExisting opens the database for a command that changes what is there. If there
// is no database, it returns an error and makes none.
func (p *process) openExisting() (*database.Handle, error) {
	p.existing = true
	d, err := p.openToLook()
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	return p.openDatabase()
}

// openDatabase opens the database for a command that writes. If there is none, it
// makes one.
func (p *process) openDatabase() (*database.Handle, error) {
	return p.opening(database.HandleOptions{})()
}

// An opener opens the database of the command.
type opener func() (*database.Handle, error)

func (p *process) opening(o database.HandleOptions) opener {
	return func() (*database.Handle, error) {
		db := p.newDatabase(o)
		_, err := db.Service(p.ctx)
		return db, err
	}
}

// workspace returns the memory of the agent that the command is about.
func (p *process) workspace(db *database.Handle) (*workspace.Workspace, error) {
	name, err := p.memory(db)
	if err != nil {
		return nil, err
	}
	ws, err := db.Agent(p.ctx, name)
	if err != nil {
		return nil, err
	}
	return ws.As(workspace.Author{Client: "scratchpad", Version: version()}), nil
}

// databaseOptions returns what the flags of all commands say of a database.
func (p *process) databaseOptions() database.Options {
	return database.Options{Logger: p.log, Postgres: p.line.Postgres.Options()}
}

// use runs fn on the database that open opens, and closes it.
func (p *process) use(open opener, fn func(*database.Handle) error) (err error) {
	db, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

// with runs fn on the workspace of the agent that the command is about.
func (p *process) with(open opener, fn func(*workspace.Workspace) error) error {
	return p.use(open, func(db *database.Handle) error {
		ws, err := p.workspace(db)
		if err != nil {
			return err
		}
		return p.sayAgent(fn(ws))
	})
}

// sayAgent tells the user that the command looked in the memory of the project or of the
// default agent, and found no file or log there.
func (p *process) sayAgent(err error) error {
	if p.line.Agent != nil || !errors.Is(err, workspace.ErrNotFound) || isOfVersion(err) {
		return err
	}
	of := ""
	if p.line.Tenant != nil {
		of = " of the tenant " + *p.line.Tenant
	}
	if p.projectName != "" {
		return failure.Hint(err, "memory of project "+p.projectName+of+"; --agent names another")
	}
	return failure.Hint(err, "agent "+defaultAgent+of+"; --agent names another")
}

// isOfVersion reports whether an error is about a version of a file that exists.
func isOfVersion(err error) bool {
	var e *workspace.Error
	return errors.As(err, &e) && e.Way.Do == store.DoUseVersion
}

// databasePath returns --db, or the default path. If make is set, it makes the folder
// of the default path.
func (p *process) databasePath(make bool) (string, error) {
	if p.line.DB != nil {
		if *p.line.DB == "" {
			return "", invalid("--db is empty; name a file, or leave out --db for %s", orNone(database.Default()))
		}
		return *p.line.DB, nil
	}
	path := database.Default()
	if path == "" {
		return "", invalid("there is no home folder for the database; name a file with --db")
	}
	if make {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", invalid("%v; name another file with --db", err)
		}
	}
	return path, nil
}

// storedDatabase returns the URL of the database, or the absolute path of its file. One in
// memory is an error: it is of no use to a command that ends.
func (p *process) storedDatabase() (string, error) {
	name, err := p.databasePath(false)
	switch {
	case err != nil || pgurl.Is(name):
		return name, err
	case name == database.InMemory:
		return "", invalid("%s is no file, and is gone when its process ends; name a file with --db", database.InMemory)
	}
	return filepath.Abs(name)
}
