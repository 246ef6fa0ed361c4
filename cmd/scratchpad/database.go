package main

import (
	"context"
	"fmt"
	"log/slog"
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
func openStore(ctx context.Context, path string, log *slog.Logger) (workspace.Store, error) {
	if path == "mem:" {
		return memstore.New(), nil
	}
	if path == "" {
		if path = defaultDB(); path == "" {
			return nil, fmt.Errorf("there is no home folder for the database; give a place with --db: %w", workspace.ErrInvalid)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("%v; give another place with --db: %w", err, workspace.ErrInvalid)
		}
	}
	return sqlite.Open(ctx, path, sqlite.Options{Logger: log})
}

// defaultDB is scratchpad/scratchpad.db in the user's data folder: XDG Base
// Directory on Unix, Application Support on macOS, LocalAppData on Windows. It
// is "" where the user has no home.
func defaultDB() string {
	dir := os.Getenv("XDG_DATA_HOME")
	home, _ := os.UserHomeDir() // "" makes the folder relative
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
	if !filepath.IsAbs(dir) {
		return ""
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
