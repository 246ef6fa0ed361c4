package main

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// inMemory is the database that is none.
const inMemory = "mem:"

// databasePath is --db, or the default one, whose folder it makes when make is set.
func (p *process) databasePath(make bool) (string, error) {
	if p.line.DB != nil {
		if *p.line.DB == "" {
			return "", workspace.Errorf(workspace.ErrInvalid, "--db is empty; give a file, or leave it out for %s", orNone(defaultDB()))
		}
		return *p.line.DB, nil
	}
	path := defaultDB()
	if path == "" {
		return "", workspace.Errorf(workspace.ErrInvalid, "there is no home folder for the database; give a place with --db")
	}
	if make {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", workspace.Errorf(workspace.ErrInvalid, "%v; give another place with --db", err)
		}
	}
	return path, nil
}

// databaseFile is the database's absolute path, for the commands that are about
// a file.
func (p *process) databaseFile() (string, error) {
	path, err := p.databasePath(false)
	switch {
	case err != nil:
		return "", err
	case path == inMemory:
		return "", workspace.Errorf(workspace.ErrInvalid, "%s is no file, and is gone when its process ends; give a file with --db", inMemory)
	}
	return filepath.Abs(path)
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
