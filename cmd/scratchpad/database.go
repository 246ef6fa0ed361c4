package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/host"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// database is the database of a process. The first call that needs it opens it, so
// that an MCP client can list the tools even if there is no database. If opening fails,
// the next call tries again.
type database struct {
	p       *process
	look    bool                                  // open it for reading only; reads are not counted
	settle  bool                                  // if it cannot be written, open it for reading only
	wrap    func(workspace.Store) workspace.Store // what the service uses in place of the store; nil: the store
	opening chan struct{}                         // holds a token while a call opens it

	mu    sync.Mutex // guards the following
	store workspace.Store
	svc   *workspace.Service
}

func newDatabase(p *process, look bool) *database {
	return &database{p: p, look: look, opening: make(chan struct{}, 1)}
}

// openToLook opens the database for a command that only looks. It waits for no
// other process and changes no byte, and its reads are not counted as operations of
// an agent.
func (p *process) openToLook() (*database, error) {
	d := newDatabase(p, true)
	_, err := d.service(p.ctx)
	return d, err
}

// openExisting opens the database for a command that changes what is there. If there
// is no database, it returns an error and makes none.
func (p *process) openExisting() (*database, error) {
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
func (p *process) openDatabase() (*database, error) {
	d := newDatabase(p, false)
	_, err := d.service(p.ctx)
	return d, err
}

// workspace returns the memory of the agent that the command is about.
func (d *database) workspace() (*workspace.Workspace, error) {
	name, _, err := d.p.agentName()
	if err != nil {
		return nil, err
	}
	svc, err := d.service(d.p.ctx)
	if err != nil {
		return nil, err
	}
	agent := svc.Agent
	if d.look {
		agent = svc.Look
	}
	ws, err := agent(name)
	if err != nil {
		return nil, err
	}
	return ws.As(workspace.Author{Client: "scratchpad", Version: version()}), nil
}

func (d *database) service(ctx context.Context) (*workspace.Service, error) {
	if svc := d.opened(); svc != nil {
		return svc, nil
	}
	select { // opening may wait for another process; a call waits only as long as its context
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return nil, fmt.Errorf("the database is still being opened; try again: %w: %w", workspace.ErrBusy, ctx.Err())
	}
	if svc := d.opened(); svc != nil {
		return svc, nil
	}
	store, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	used := store
	if d.wrap != nil {
		used = d.wrap(store)
	}
	o, err := d.p.options()
	if err != nil {
		store.Close()
		return nil, err
	}
	o.Summarizer, o.SummaryTokens = d.p.summarizer, int64(d.p.line.Summaries.SummaryTokensPerMonth)
	svc, err := workspace.New(used, o)
	if err != nil {
		store.Close()
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store, d.svc = store, svc
	return svc, nil
}

// options returns what the flags of all commands say of a service.
func (p *process) options() (workspace.Options, error) {
	tenant, _, err := p.tenantName()
	return workspace.Options{Tenant: tenant, Limits: workspace.Limits(p.line.Limits), Store: p.line.Store.Options(), Paths: p.line.Paths.PathRule}, err
}

func (d *database) opened() *workspace.Service {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.svc
}

func (d *database) open(ctx context.Context) (workspace.Store, error) {
	path, err := d.p.databasePath(!d.look)
	switch {
	case err != nil:
		return nil, err
	case path == inMemory:
		return memstore.New(), nil
	case d.look:
		return d.p.openReadOnly()
	}
	store, err := d.p.openStore(ctx, path)
	// A full disk keeps a database of an older schema from its migration.
	if d.settle && (errors.Is(err, workspace.ErrReadOnly) || errors.Is(err, workspace.ErrStorageFull)) {
		return d.openUnwritable(err)
	}
	return store, err
}

// openUnwritable opens for reading a database that cannot be written, and says why.
func (d *database) openUnwritable(why error) (workspace.Store, error) {
	store, err := d.p.openReadOnly()
	if err != nil {
		return nil, why
	}
	d.mu.Lock()
	d.look = true
	d.mu.Unlock()
	fmt.Fprintf(d.p.err, "scratchpad: files and logs can be read, but nothing can be stored: %s\n", terminal.OneLine(why.Error()))
	return store, nil
}

// openStore opens a database for writing. Its folder must be there.
func (p *process) openStore(ctx context.Context, path string) (workspace.Store, error) {
	store, err := sqlite.Open(ctx, path, sqlite.Options{Logger: p.log, Durability: p.line.Durability.Durability})
	if err != nil {
		return nil, marked{err}
	}
	return store, nil
}

// openReadOnly opens the database so that no byte of it changes, even if it is
// damaged.
func (p *process) openReadOnly() (*sqlite.Store, error) {
	path, err := p.databaseFile()
	if err != nil {
		return nil, err
	}
	store, err := sqlite.OpenReadOnly(p.ctx, path, sqlite.Options{Logger: p.log})
	if err == nil {
		return store, nil
	}
	_, noFolder := os.Stat(filepath.Dir(path))
	if errors.Is(err, workspace.ErrNotFound) || errors.Is(noFolder, fs.ErrNotExist) {
		return nil, workspace.Errorf(workspace.ErrNotFound, "there is no database at %s yet; scratchpad files write creates it, as an agent's first write does; --db names another", path)
	}
	return nil, marked{err}
}

// Close closes the database, if it was opened. Of one that was opened for writing it
// first counts the last reads.
func (d *database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.svc == nil {
		return nil
	}
	if !d.look {
		// A few reads that are not counted are no reason to wait for long or to fail.
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if err := d.svc.Close(ctx); err != nil {
			d.p.log.Warn("the last reads were not counted", "err", err)
		}
	}
	return d.store.Close()
}

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
	of := ""
	if p.line.Tenant != nil {
		of = " of the tenant " + *p.line.Tenant
	}
	return hinted{err, "agent " + defaultAgent + of + "; --agent names another"}
}

// isOfVersion reports whether an error is about a version of a file that exists.
func isOfVersion(err error) bool {
	var e *workspace.Error
	return errors.As(err, &e) && e.Way.Do == workspace.DoUseVersion
}

// inMemory is the --db that names no file: everything is kept in memory.
const inMemory = "mem:"

// databasePath returns --db, or the default path. If make is set, it makes the folder
// of the default path.
func (p *process) databasePath(make bool) (string, error) {
	if p.line.DB != nil {
		if *p.line.DB == "" {
			return "", workspace.Errorf(workspace.ErrInvalid, "--db is empty; name a file, or leave out --db for %s", orNone(defaultDB()))
		}
		return *p.line.DB, nil
	}
	path := defaultDB()
	if path == "" {
		return "", workspace.Errorf(workspace.ErrInvalid, "there is no home folder for the database; name a file with --db")
	}
	if make {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", workspace.Errorf(workspace.ErrInvalid, "%v; name another file with --db", err)
		}
	}
	return path, nil
}

// databaseFile returns the absolute path of the database, for commands about the file.
func (p *process) databaseFile() (string, error) {
	path, err := p.databasePath(false)
	switch {
	case err != nil:
		return "", err
	case path == inMemory:
		return "", workspace.Errorf(workspace.ErrInvalid, "%s is no file, and is gone when its process ends; name a file with --db", inMemory)
	}
	return filepath.Abs(path)
}

// defaultDB returns the path of the database if nobody has named one; "" if the user has
// no home folder.
func defaultDB() string { return host.DataFile("scratchpad", "scratchpad.db") }
