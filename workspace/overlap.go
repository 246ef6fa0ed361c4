package workspace

import (
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// checkOverlap refuses a path that lies below a file, or that has a file below it, as a file
// system does. A file that is moved does not stand in its own way: self is its path, or "". It
// looks for a file at each folder above the path, and for up to two below it.
func checkOverlap(r store.Reader, path, self string) error {
	for i := range len(path) {
		if path[i] != '/' || path[:i] == self {
			continue
		}
		l, err := r.Load(store.Query{File: path[:i]})
		if err != nil {
			return err
		}
		if h := l.File; h.Exists() {
			return inTheWay(h, "a file cannot lie below the file %s", names.Clip(h.Path))
		}
	}
	below, err := r.Scan(store.ScanQuery{Kind: KindFile, Prefix: path + "/", Limit: 2})
	if err != nil {
		return err
	}
	for _, h := range below.Files {
		if h.Path != self {
			return inTheWay(h.FileHead, "it is the folder of %s", names.Clip(h.Path))
		}
	}
	return nil
}

// inTheWay returns the error for a path that cannot be used because the file h is there.
func inTheWay(h FileHead, cause string, args ...any) error {
	e := or(Errorf(ErrConflict, cause, args...), store.DoOtherPath, 0)
	e.Err = &Overlap{Path: h.Path, Created: h.Created}
	return e
}
