package workspace

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// given reports whether an argument was given.
func (o ReadOptions) given(arg Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

// check refuses options that are wrong for every file.
func (o ReadOptions) check(path string) error {
	const op = "read"
	since, version := o.given(ArgSince, o.Since), o.given(ArgVersion, o.Version)
	from, to := o.given(ArgFromLine, int64(o.FromLine)), o.given(ArgToLine, int64(o.ToLine))
	fail := func(cause string, args ...any) error { return fail(ErrInvalid, op, path, cause, args...) }
	switch {
	case since && version:
		return fail("%s and %s exclude each other", ArgSince, ArgVersion)
	case since && (from || to):
		return fail("%s and %s/%s exclude each other", ArgSince, ArgFromLine, ArgToLine)
	case o.given(ArgContext, int64(o.Context)) && !since:
		return fail("%s needs %s; leave it out, or say which version you have", ArgContext, ArgSince)
	case o.Context < -1:
		return fail("%s is %d, the least is -1 (every line)", ArgContext, o.Context)
	case o.MaxTokens < 0:
		return fail("%s is %d, the least is 0 (no bound)", ArgMaxTokens, o.MaxTokens)
	case from && o.FromLine < 1:
		return fault.TooSmall(op, path, ArgFromLine, int64(o.FromLine), 1)
	case to && o.ToLine < 1:
		return fault.TooSmall(op, path, ArgToLine, int64(o.ToLine), 1)
	case to && o.FromLine > o.ToLine:
		return fail("%s %d is after %s %d", ArgFromLine, o.FromLine, ArgToLine, o.ToLine)
	case version:
		return checkNumber(op, path, ArgVersion, o.Version, 1)
	}
	return nil
}

// checkLoaded refuses options that are wrong for this file, which exists, as it was loaded.
func (o ReadOptions) checkLoaded(l store.Loaded) error {
	head := l.File
	switch {
	case o.Version != 0:
		return fault.Readable(head, l.Version, o.Version)
	case o.given(ArgSince, o.Since) && o.Since < 1:
		return or(Errorf(ErrInvalid, "%s must be 1 or more, the current version is %d", ArgSince, head.Version),
			DoReadWhole, head.Version)
	case o.Since > head.Version:
		return or(Errorf(ErrInvalid, "%s is %d, the current version is %d", ArgSince, o.Since, head.Version),
			DoReadWhole, head.Version)
	}
	return nil
}
