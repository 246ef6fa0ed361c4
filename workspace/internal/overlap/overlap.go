// Package overlap keeps the paths of files apart as a file system does: a path that is a
// file has no other files below it.
package overlap

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Check refuses a path that lies below a file, or that has a file below it. The file self
// does not count; "": all files count. It reads the heads of the folders above the path,
// and up to two below it.
func Check(r store.Reader, path, self string) error {
	for i := range len(path) {
		if path[i] != '/' || path[:i] == self {
			continue
		}
		h, _, err := r.File(path[:i])
		if err != nil {
			return err
		}
		if h.Exists() {
			return InTheWay(h, "a file cannot lie below the file %s", names.Clip(h.Path))
		}
	}
	below, err := r.Files(path+"/", "", 2)
	if err != nil {
		return err
	}
	for _, h := range below {
		if h.Path != self {
			return InTheWay(h, "it is the folder of %s", names.Clip(h.Path))
		}
	}
	return nil
}

// InTheWay returns the error for a path that cannot be used because the file h is there.
func InTheWay(h store.FileHead, cause string, args ...any) error {
	e := fault.Or(store.Errorf(store.ErrConflict, cause, args...), store.DoOtherPath, 0)
	e.Err = &store.Overlap{Path: h.Path, Created: h.Created}
	return e
}

// Below reports whether a path lies below a folder.
func Below(path, folder string) bool { return strings.HasPrefix(path, folder+"/") }
