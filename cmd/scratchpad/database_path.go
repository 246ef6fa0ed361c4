package main

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

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

// defaultDB returns scratchpad/scratchpad.db in the user's data folder: that of the
// XDG Base Directory Specification on Unix, Application Support on macOS, LocalAppData
// on Windows. It returns "" if the user has no home folder.
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
