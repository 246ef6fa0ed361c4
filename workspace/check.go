package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// maxNumber is the largest version or cursor. Every JSON reader keeps integers up to it
// exactly.
const maxNumber = 1 << 53

// checkNumber checks a version, a cursor or a line that the caller gave.
func checkNumber(op, object string, arg Arg, n, least int64) error {
	switch {
	case n < least:
		return tooSmall(op, object, arg, n, least)
	case n > maxNumber:
		return fail(ErrInvalid, op, object, "%s is %d, the most is 2^53", arg, n)
	}
	return nil
}

func tooSmall(op, object string, arg Arg, n, least int64) error {
	return fail(ErrInvalid, op, object, "%s is %d, the least is %d", arg, n, least)
}

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

func checkContext(ctx context.Context, op, object string) error {
	if ctx == nil {
		return fail(ErrInvalid, op, object, "the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return within(op, object, err)
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
