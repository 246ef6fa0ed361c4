package workspace

import (
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// given reports whether an argument was given.
func (o ReadOptions) given(arg store.Arg, n int64) bool {
	return n != 0 || slices.Contains(o.Zeros, arg)
}

// check refuses options that are wrong for every file.
func (o ReadOptions) check() error {
	since, version := o.given(store.ArgSince, o.Since), o.given(store.ArgVersion, o.Version)
	from, to := o.given(store.ArgFromLine, int64(o.FromLine)), o.given(store.ArgToLine, int64(o.ToLine))
	switch {
	case since && version:
		return Errorf(ErrInvalid, "%s and %s exclude each other", store.ArgSince, store.ArgVersion)
	case since && (from || to):
		return Errorf(ErrInvalid, "%s and %s/%s exclude each other", store.ArgSince, store.ArgFromLine, store.ArgToLine)
	case o.Section != "" && (since || from || to):
		return Errorf(ErrInvalid, "%s excludes %s, %s and %s", store.ArgSection, store.ArgSince, store.ArgFromLine,
			store.ArgToLine)
	case o.given(store.ArgContext, int64(o.Context)) && !since:
		return Errorf(ErrInvalid, "%s needs %s; leave it out, or say which version you have", store.ArgContext,
			store.ArgSince)
	case o.Context < -1:
		return Errorf(ErrInvalid, "%s is %d, the least is -1 (every line)", store.ArgContext, o.Context)
	case o.MaxTokens < 0:
		return Errorf(ErrInvalid, "%s is %d, the least is 0 (no bound)", store.ArgMaxTokens, o.MaxTokens)
	case from && o.FromLine < 1:
		return checkNumber(store.ArgFromLine, int64(o.FromLine), 1)
	case to && o.ToLine < 1:
		return checkNumber(store.ArgToLine, int64(o.ToLine), 1)
	case to && o.FromLine > o.ToLine:
		return Errorf(ErrInvalid, "%s %d is after %s %d", store.ArgFromLine, o.FromLine, store.ArgToLine, o.ToLine)
	case version:
		return checkNumber(store.ArgVersion, o.Version, 1)
	}
	return nil
}

// checkLoaded refuses options that are wrong for the file that was loaded.
func (o ReadOptions) checkLoaded(l store.Loaded, now time.Time) error {
	head := l.File
	switch {
	case !head.Exists() && (o.Version == 0 || !head.Restorable(now)):
		return errNoFile
	case o.Version != 0:
		return fault.Readable(head, l.Version, o.Version)
	case o.given(store.ArgSince, o.Since) && o.Since < 1:
		return or(Errorf(ErrInvalid, "%s must be 1 or more, the current version is %d", store.ArgSince, head.Version),
			store.DoReadWhole, head.Version)
	case o.Since > head.Version:
		return or(Errorf(ErrInvalid, "%s is %d, the current version is %d", store.ArgSince, o.Since, head.Version),
			store.DoReadWhole, head.Version)
	}
	return nil
}
