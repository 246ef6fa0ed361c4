package sqlite

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// removeParts removes what a power cut or a kill left of databases that were
// being made for this path. The caller holds the turn, so that nobody is making
// one now. What cannot be removed does no harm.
func removeParts(path string) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if isPart(base, e) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// partEnd ends the name of a database that is being made. checkName refuses it
// for any other, so that none is mistaken for a leftover.
const partEnd = "-part"

// isPart reports whether an entry of the folder has a name that create makes:
// that of the database, "-new-", digits, partEnd, and perhaps the end of one of
// SQLite's side files.
func isPart(base string, e fs.DirEntry) bool {
	rest, ok := strings.CutPrefix(e.Name(), base+"-new-")
	digits, end, part := strings.Cut(rest, partEnd)
	if !ok || !part || !e.Type().IsRegular() || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	return slices.Contains(tempEnds, end)
}
