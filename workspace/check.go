package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// checkText checks content before anything is stored. of is FileSize or EntrySize.
func (l Limits) checkText(op, object string, content []byte, of Resource) error {
	limit, way := l.FileBytes, DoSplitFile
	if of == EntrySize {
		limit, way = l.EntryBytes, DoSplitEntry
	}
	if size := int64(len(content)); size > limit {
		return within(op, object, or(fault.TooLarge(of, size, limit, "%d bytes, limit %d", size, limit), way, 0))
	}
	if at := names.FirstInvalid(content); at >= 0 {
		return fail(ErrInvalid, op, object, "byte %d is not valid UTF-8; only text can be stored", at+1)
	}
	return nil
}

// start parses the path of a call and looks at its context.
func (w *Workspace) start(ctx context.Context, op, path string) (Path, error) {
	p, err := w.paths.Parse(path)
	if err != nil {
		return Path{}, within(op, path, err)
	}
	return p, checkContext(ctx, op, path)
}
