// Package database opens the database that a command names, and the service over it. A URL
// is a database of PostgreSQL, and any other name a file of SQLite.
package database

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// InMemory is the name of a database that keeps everything in memory, until it is closed.
const InMemory = "mem:"

// Options say how to open a database. The zero value works.
type Options struct {
	Logger     *slog.Logger     // nil: slog.Default()
	Postgres   postgres.Options // of PostgreSQL; its Logger is not used
	Unfinished bool             // open a copy too that scratchpad migrate has not completed
}

// Open opens a database for writing. It makes the file or the tables if there are none; the
// folder of a file must be there, and so must a database of PostgreSQL. The error is
// [workspace.ErrUnsupported] for a copy that scratchpad migrate has not completed.
func Open(ctx context.Context, name string, o Options) (workspace.Store, error) {
	return o.open(ctx, name, postgres.Open, sqlite.Open)
}

// OpenReadOnly opens a database so that no byte of it changes, even if it is damaged. If
// there is none, the error is [workspace.ErrNotFound]; else the errors are those of [Open].
func OpenReadOnly(ctx context.Context, name string, o Options) (workspace.Store, error) {
	if name == InMemory || pgurl.Is(name) {
		return o.open(ctx, name, postgres.OpenReadOnly, nil)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	store, err := o.open(ctx, path, nil, sqlite.OpenReadOnly)
	if _, noFolder := os.Stat(filepath.Dir(path)); err != nil && errors.Is(noFolder, fs.ErrNotExist) ||
		errors.Is(err, workspace.ErrNotFound) {
		return nil, absent(path)
	}
	return store, err
}

// open opens a database by the function for its kind. It refuses one that is a part of a copy.
func (o Options) open(
	ctx context.Context, name string, server func(context.Context, string, postgres.Options) (*postgres.Store, error),
	file func(context.Context, string, sqlite.Options) (*sqlite.Store, error),
) (store workspace.Store, err error) {
	switch {
	case name == InMemory:
		return memstore.New(), nil
	case pgurl.Is(name):
		o.Postgres.Logger = o.Logger
		if store, err = server(ctx, name, o.Postgres); err != nil {
			return nil, ofServer(ctx, name, err)
		}
	default:
		if store, err = file(ctx, name, sqlite.Options{Logger: o.Logger}); err != nil {
			return nil, failure.OfDatabase(err)
		}
	}
	if o.Unfinished {
		return store, nil
	}
	// A database that is damaged can be opened all the same: a call says what is wrong.
	if err := dbcopy.Unfinished(ctx, store); errors.Is(err, workspace.ErrUnsupported) {
		return nil, errors.Join(failure.OfDatabase(err), store.Close())
	}
	return store, nil
}

// Exists reports whether there is a database that can be read. It makes none.
func Exists(ctx context.Context, name string, o Options) (bool, error) {
	switch {
	case name == InMemory:
		return false, nil
	case pgurl.Is(name):
		store, err := OpenReadOnly(ctx, name, o)
		if err == nil {
			err = store.Close()
		}
		if errors.Is(err, workspace.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist), nil
}

// absent is the error of a database that nobody has written yet.
func absent(name string) error {
	return workspace.Errorf(workspace.ErrNotFound,
		"there is no database at %s yet; scratchpad files write creates it, as an agent's first write does; --db "+
			"names another", name)
}

// ofServer returns an error of opening a database of PostgreSQL, for the person who named
// the database.
func ofServer(ctx context.Context, name string, err error) error {
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		return absent(pgurl.Short(name))
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	}
	kind, text := workspace.Kind(err), err.Error()
	var e *workspace.Error
	if errors.As(err, &e) {
		text = failure.Text(e) // without the word for its kind
	}
	text = strings.Join(strings.Fields(pgurl.Hide(text)), " ") // the driver has a line for each address
	if kind == workspace.ErrInvalid && (strings.Contains(name, "service=") || os.Getenv("PGSERVICE") != "") {
		text += "; a service must be in ~/.pg_service.conf or in the file that PGSERVICEFILE names"
	}
	return failure.OfDatabase(&workspace.Error{Op: "open", Object: pgurl.Short(name), Kind: kind,
		Err: workspace.Errorf(kind, "%s", text)})
}

// Default returns the path of the database if nobody has named one; "" if the user has no
// home folder.
func Default() string { return native.DataFile("scratchpad", "scratchpad.db") }
