package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An Extent is the size of a file. The zero value is the extent of a file that does not exist. That
// of a deleted file has Largest alone.
type Extent struct {
	Version int64 // the current version
	Bytes   int64 // of the current version
	Largest int64 // bytes of the largest retained version
}

// FileExtent returns the extent of a file. Version is 0 if there is no file. FileExtent
// costs less than reading the file, and does not count as an operation. Errors: [ErrInvalid]
// and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	p, err := w.start(ctx, path)
	var head FileHead
	if err == nil {
		var l store.Loaded
		l, err = w.load(ctx, store.Query{File: p.name})
		head = l.File
	}
	if err != nil || !head.Exists() {
		return Extent{Largest: head.Largest()}, within("read", path, err)
	}
	return Extent{Version: head.Version, Bytes: head.Size(), Largest: head.Largest()}, nil
}
