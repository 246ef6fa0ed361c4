package workspace

import (
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// given reports whether an argument was given.
func (o ReadOptions) given(arg Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

// check refuses options that are wrong for every file.
func (o ReadOptions) check() error {
	since, version := o.given(ArgSince, o.Since), o.given(ArgVersion, o.Version)
	from, to := o.given(ArgFromLine, int64(o.FromLine)), o.given(ArgToLine, int64(o.ToLine))
	switch {
	case since && version:
		return Errorf(ErrInvalid, "%s and %s exclude each other", ArgSince, ArgVersion)
	case since && (from || to):
		return Errorf(ErrInvalid, "%s and %s/%s exclude each other", ArgSince, ArgFromLine, ArgToLine)
	case o.Section != "" && since:
		return Errorf(ErrInvalid, "%s and %s exclude each other", ArgSection, ArgSince)
	case o.Section != "" && from:
		return Errorf(ErrInvalid, "%s and %s exclude each other", ArgSection, ArgFromLine)
	case o.Section != "" && to:
		return Errorf(ErrInvalid, "%s and %s exclude each other", ArgSection, ArgToLine)
	case o.given(ArgContext, int64(o.Context)) && !since:
		return Errorf(ErrInvalid, "%s needs %s; leave it out, or say which version you have", ArgContext, ArgSince)
	case o.Context < -1:
		return Errorf(ErrInvalid, "%s is %d, the least is -1 (every line)", ArgContext, o.Context)
	case o.MaxTokens < 0:
		return Errorf(ErrInvalid, "%s is %d, the least is 0 (no bound)", ArgMaxTokens, o.MaxTokens)
	case from && o.FromLine < 1:
		return checkNumber(ArgFromLine, int64(o.FromLine), 1)
	case to && o.ToLine < 1:
		return checkNumber(ArgToLine, int64(o.ToLine), 1)
	case to && o.FromLine > o.ToLine:
		return Errorf(ErrInvalid, "%s %d is after %s %d", ArgFromLine, o.FromLine, ArgToLine, o.ToLine)
	case version:
		return checkNumber(ArgVersion, o.Version, 1)
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
	case o.given(ArgSince, o.Since) && o.Since < 1:
		return or(Errorf(ErrInvalid, "%s must be 1 or more, the current version is %d", ArgSince, head.Version),
			DoReadWhole, head.Version)
	case o.Since > head.Version:
		return or(Errorf(ErrInvalid, "%s is %d, the current version is %d", ArgSince, o.Since, head.Version),
			DoReadWhole, head.Version)
	}
	return nil
}
