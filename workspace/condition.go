package workspace

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// expect sets the version that the file must be at, which is least or above; nil: any. With a
// least of 1, there must be a file.
func (c *write) expect(ifVersion *int64, least int64) {
	c.exists = least > 0
	if ifVersion != nil {
		c.ifVersion = new(*ifVersion) // the caller may leave before the transaction ends, and use its variable again
		c.refuse(checkNumber(store.ArgIfVersion, *ifVersion, least))
	}
}

// withTree adds to a condition that the path must fit into a tree.
func withTree(condition []byte, tree bool) []byte {
	if tree {
		return append(condition, 't')
	}
	return condition
}

func conditionBytes(ifVersion *int64) []byte {
	if ifVersion == nil {
		return nil
	}
	return fmt.Append(nil, *ifVersion)
}

// checkFile refuses if the file that was loaded is not as expect has said.
func (r *run) checkFile() error {
	h := r.File
	if r.exists && !h.Exists() {
		return errNoFile
	}
	if r.ifVersion == nil {
		return nil
	}
	want := *r.ifVersion
	switch {
	case !h.Exists() && want == 0:
		return nil
	case !h.Exists():
		return or(Errorf(ErrConflict, "it does not exist, %s is %d", store.ArgIfVersion, want), store.DoExpectNone, 0)
	case want == 0:
		e := or(Errorf(ErrConflict, "it exists at version %d, %s is 0", h.Version, store.ArgIfVersion), store.DoRead, 0)
		e.Err = &Overlap{Path: h.Path, Created: h.Created}
		return e
	case want > h.Version:
		return or(Errorf(ErrConflict, "it is at version %d, %s is %d, which it never had", h.Version,
			store.ArgIfVersion, want), store.DoRead, 0)
	case want != h.Version:
		return or(Errorf(ErrConflict, "it is at version %d, %s is %d", h.Version, store.ArgIfVersion, want),
			store.DoReadSince, want)
	}
	return nil
}
