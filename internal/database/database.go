// Package database opens the database that a command names, and the service over it.
package database

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/host"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// InMemory is the name of a database that keeps everything in memory, until it is closed.
const InMemory = "mem:"

// Options say how to open a database. The zero value works.
type Options struct {
	Logger     *slog.Logger // nil: slog.Default()
	Durability sqlite.Durability
}

// Open opens a database for writing. It makes the database if there is none; its folder
// must be there.
func Open(ctx context.Context, name string, o Options) (workspace.Store, error) {
	if name == InMemory {
		return memstore.New(), nil
	}
	store, err := sqlite.Open(ctx, name, sqlite.Options{Logger: o.Logger, Durability: o.Durability})
	if err != nil {
		return nil, failure.OfDatabase(err)
	}
	return store, nil
}

// OpenReadOnly opens a database so that no byte of it changes, even if it is damaged. If
// there is none, the error is [workspace.ErrNotFound].
func OpenReadOnly(ctx context.Context, name string, o Options) (workspace.Store, error) {
	if name == InMemory {
		return memstore.New(), nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	store, err := sqlite.OpenReadOnly(ctx, path, sqlite.Options{Logger: o.Logger})
	if err == nil {
		return store, nil
	}
	_, noFolder := os.Stat(filepath.Dir(path))
	if errors.Is(err, workspace.ErrNotFound) || errors.Is(noFolder, fs.ErrNotExist) {
		return nil, workspace.Errorf(workspace.ErrNotFound, "there is no database at %s yet; scratchpad files write creates it, as an agent's first write does; --db names another", path)
	}
	return nil, failure.OfDatabase(err)
}

// Default returns the path of the database if nobody has named one; "" if the user has no
// home folder.
func Default() string { return host.DataFile("scratchpad", "scratchpad.db") }
