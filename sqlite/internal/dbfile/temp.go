package dbfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	newMark = "-new-" // after the name of the database, in that of a file that is being made

	// partEnd ends the name of a database that is being made. CheckName refuses such a
	// name for any other file, so that none is mistaken for a leftover.
	partEnd = "-part"
)

// tempEnds are the ends of the names that a database has while it is being made.
var tempEnds = []string{"", Log, Index, Journal}

// NewPart makes an empty file, of mode 0600, in which a database for the path is
// prepared. First it removes the files that a power cut or a kill left of earlier
// ones. The caller holds the turn, so that no other process is preparing one. Close
// the file's use with [RemoveTemp].
func NewPart(path string) (name string, err error) {
	removeParts(path)
	return newTemp(path, partEnd)
}

// NewTemp makes an empty file, of mode 0600, beside the path. Close its use with
// [RemoveTemp].
func NewTemp(path string) (name string, err error) { return newTemp(path, "") }

func newTemp(path, end string) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newMark+"*"+end)
	if err != nil {
		return "", WithKind(err)
	}
	f.Close()
	return f.Name(), nil
}

// RemoveTemp removes a file of [NewPart] or [NewTemp], if it still has its temporary
// name, and the files that SQLite made beside it.
func RemoveTemp(name string) error {
	for _, end := range tempEnds {
		if err := os.Remove(name + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return WithKind(err)
		}
	}
	return nil
}

// removeParts removes what is left of earlier attempts to make the database. A file
// that cannot be removed does no harm.
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

// isPart reports whether an entry of the folder is a file with a name of [NewPart], or
// one that SQLite made beside it: the name of the database, newMark, digits, partEnd,
// and one of tempEnds.
func isPart(base string, e fs.DirEntry) bool {
	rest, ok := strings.CutPrefix(e.Name(), base+newMark)
	digits, end, part := strings.Cut(rest, partEnd)
	if !ok || !part || !e.Type().IsRegular() || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	return slices.Contains(tempEnds, end)
}
