package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// checkText checks content before anything is stored. of is FileBytes or EntryBytes.
func (l Limits) checkText(content []byte, of store.Resource) error {
	limit, way := l.FileBytes, store.DoSplitFile
	if of == store.EntryBytes {
		limit, way = l.EntryBytes, store.DoSplitEntry
	}
	if size := int64(len(content)); size > limit {
		return or(fault.TooLarge(of, size, limit, "%d bytes, limit %d", size, limit), way, 0)
	}
	if at := names.FirstInvalid(content); at >= 0 {
		return Errorf(ErrInvalid, "byte %d is not valid UTF-8; only text can be stored", at+1)
	}
	return nil
}

// start parses the path of a call and looks at its context. The path may be any that can be
// stored.
func (w *Workspace) start(ctx context.Context, path string) (Path, error) {
	name, err := w.svc.o.Paths.stored(store.ArgPath, path, names.Rule.Path)
	if err == nil {
		err = checkContext(ctx)
	}
	return Path{name}, err
}
