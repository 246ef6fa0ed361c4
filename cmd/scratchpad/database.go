package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// openStore opens the database of the command line. The folder of the default
// one is made where it is missing; any other must be there.
func openStore(ctx context.Context, path string) (workspace.Store, error) {
	if path == "mem:" {
		return memstore.New(), nil
	}
	if path == "" {
		path = defaultDB()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("%v; give another place with --db: %w", err, workspace.ErrInvalid)
		}
	}
	return sqlite.Open(ctx, path, sqlite.Options{})
}

// defaultDB is scratchpad/scratchpad.db in the user's data folder: XDG Base
// Directory on Unix, Application Support on macOS, LocalAppData on Windows.
func defaultDB() string {
	dir := os.Getenv("XDG_DATA_HOME")
	home, _ := os.UserHomeDir()
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows":
		if dir = os.Getenv("LOCALAPPDATA"); dir == "" {
			dir = filepath.Join(home, "AppData", "Local")
		}
	case runtime.GOOS == "darwin":
		dir = filepath.Join(home, "Library", "Application Support")
	default:
		dir = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dir, "scratchpad", "scratchpad.db")
}

// version is the module's, as the Go tool stamped it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
