package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An Extent is how much there is to read of a file. The zero value is nothing.
type Extent struct {
	Version int64 // the current version
	Bytes   int64 // of the current version
	Largest int64 // bytes of the largest version that is retained, or that may be
}

// FileExtent returns the extent of a file. FileExtent costs less than reading the file, and
// is not counted as an operation. Errors: [ErrInvalid] and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	p, err := w.start(ctx, path)
	var head FileHead
	if err == nil {
		var l store.Loaded
		l, err = w.load(ctx, store.Query{File: p.name})
		head = l.File
	}
	if err != nil || !head.Exists() {
		return Extent{}, within("read", path, err)
	}
	return Extent{Version: head.Version, Bytes: head.Size(), Largest: head.Largest()}, nil
}
