package database

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Handle is a database that the first call which needs it opens, so that an MCP client
// can list the tools even if there is no database. If opening fails, the next call tries
// again. A Handle is safe for concurrent use.
type Handle struct {
	o       HandleOptions
	opening chan struct{} // holds a token while a call opens it

	mu    sync.Mutex // guards the following
	look  bool       // it is open for reading only
	store workspace.Store
	svc   *workspace.Service
}

// HandleOptions say what a Handle opens.
type HandleOptions struct {
	Options
	Name    func(make bool) (string, error)       // the name of the database; make: it will be made if it is not there
	Service func() (workspace.Options, error)     // of the service, called when the database is opened
	Look    bool                                  // open it for reading only; reads are not counted
	Wrap    func(workspace.Store) workspace.Store // what the service uses in place of the store; nil: the store

	// Unwritable, if it is not nil, is called with the error of a database that cannot be
	// written. The database is then open for reading only.
	Unwritable func(why error)
}

// NewHandle returns a Handle that opens nothing yet.
func NewHandle(o HandleOptions) *Handle {
	return &Handle{o: o, look: o.Look, opening: make(chan struct{}, 1)}
}

// Service returns the service over the database, which it opens if that was not done yet.
func (h *Handle) Service(ctx context.Context) (*workspace.Service, error) {
	if svc := h.Opened(); svc != nil {
		return svc, nil
	}
	select { // opening may wait for another process; a call waits only as long as its context
	case h.opening <- struct{}{}:
		defer func() { <-h.opening }()
	case <-ctx.Done():
		return nil, fmt.Errorf("the database is still being opened; try again: %w: %w", workspace.ErrBusy, ctx.Err())
	}
	if svc := h.Opened(); svc != nil {
		return svc, nil
	}
	store, err := h.open(ctx)
	if err != nil {
		return nil, err
	}
	o, err := h.o.Service()
	if err != nil {
		store.Close()
		return nil, err
	}
	used := store
	if h.o.Wrap != nil {
		used = h.o.Wrap(store)
	}
	svc, err := workspace.New(used, o)
	if err != nil {
		store.Close()
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.store, h.svc = store, svc
	return svc, nil
}

// Opened returns the service, or nil if the database is not open yet.
func (h *Handle) Opened() *workspace.Service {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.svc
}

// Store returns the database, or nil if it is not open yet.
func (h *Handle) Store() workspace.Store {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.store
}

// Looks reports whether the Handle was made to look.
func (h *Handle) Looks() bool { return h.o.Look }

// Agent returns the memory of an agent. If the Handle was made to look, reads are not
// counted.
func (h *Handle) Agent(ctx context.Context, name string) (*workspace.Workspace, error) {
	svc, err := h.Service(ctx)
	if err != nil {
		return nil, err
	}
	if h.o.Look {
		return svc.Look(name)
	}
	return svc.Agent(name)
}

func (h *Handle) open(ctx context.Context) (workspace.Store, error) {
	name, err := h.o.Name(!h.o.Look)
	if err != nil {
		return nil, err
	}
	if h.o.Look {
		return OpenReadOnly(ctx, name, h.o.Options)
	}
	store, err := Open(ctx, name, h.o.Options)
	// A full disk keeps a database of an older schema from its migration.
	if h.o.Unwritable != nil && (errors.Is(err, workspace.ErrReadOnly) || errors.Is(err, workspace.ErrStorageFull)) {
		return h.openUnwritable(ctx, name, err)
	}
	return store, err
}

// openUnwritable opens for reading a database that cannot be written, and says why.
func (h *Handle) openUnwritable(ctx context.Context, name string, why error) (workspace.Store, error) {
	store, err := OpenReadOnly(ctx, name, h.o.Options)
	if err != nil {
		return nil, why
	}
	h.mu.Lock()
	h.look = true
	h.mu.Unlock()
	h.o.Unwritable(why)
	return store, nil
}

// Close closes the database, if it was opened. Of one that was opened for writing it
// first counts the last reads.
func (h *Handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.svc == nil {
		return nil
	}
	if !h.look {
		// A few reads that are not counted are no reason to wait for long or to fail.
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if err := h.svc.Close(ctx); err != nil {
			h.o.Logger.Warn("the last reads were not counted", "err", err)
		}
	}
	return h.store.Close()
}
