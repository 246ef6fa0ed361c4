package dbfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// CheckLinks returns [store.ErrInvalid] for a database file that has a second name
// (hard link). SQLite keeps a log for each name, so writes under two names destroy the
// database.
func CheckLinks(path string) error {
	var names uint64
	for range 2 { // another process may be removing the temporary name of a new database
		var id ID
		var err error
		if id, names, err = stat(path); err != nil {
			return WithKind(err)
		}
		if names <= 1 || names <= 1+uint64(len(partsOf(path, id))) {
			return nil
		}
	}
	return store.Errorf(store.ErrInvalid, "it has %d names (hard links), and SQLite would keep a log for each; find "+
		"them with find -samefile and remove the others, or copy the file", names)
}

// RemovePartNames removes the temporary names of a database if its making was cut off
// after it got its own name. The caller holds the turn.
func RemovePartNames(path string) error {
	id, names, err := stat(path)
	if err != nil {
		return WithKind(err)
	}
	if names <= 1 {
		return nil
	}
	for _, name := range partsOf(path, id) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return WithKind(err)
		}
	}
	return nil
}

// partsOf returns the names that [NewPart] gave to a file before it got its own.
func partsOf(path string, id ID) (names []string) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !isPart(base, e) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if other, _, err := stat(name); err == nil && other == id {
			names = append(names, name)
		}
	}
	return names
}
