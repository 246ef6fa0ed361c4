// Package excerpt makes what a reader gets of a file: the version, some of its lines, what
// has changed since another version, or which lines to read.
package excerpt

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Options say what to read, as package workspace describes them.
type Options struct {
	Since     int64
	Context   int
	Version   int64
	FromLine  int
	ToLine    int
	MaxTokens int
	Zeros     []store.Arg
	Compare   func(bytes int64) error
}

// given reports whether an argument was given.
func (o Options) given(arg store.Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

// Check refuses options that are wrong for every file.
func (o Options) Check(path string) error {
	const op = "read"
	since, version := o.given(store.ArgSince, o.Since), o.given(store.ArgVersion, o.Version)
	from, to := o.given(store.ArgFromLine, int64(o.FromLine)), o.given(store.ArgToLine, int64(o.ToLine))
	fail := func(cause string, args ...any) error { return fault.New(store.ErrInvalid, op, path, cause, args...) }
	switch {
	case since && version:
		return fail("%s and %s exclude each other", store.ArgSince, store.ArgVersion)
	case since && (from || to):
		return fail("%s and %s/%s exclude each other", store.ArgSince, store.ArgFromLine, store.ArgToLine)
	case o.given(store.ArgContext, int64(o.Context)) && !since:
		return fail("%s needs %s; leave it out, or say which version you have", store.ArgContext, store.ArgSince)
	case o.Context < -1:
		return fail("%s is %d, the least is -1 (every line)", store.ArgContext, o.Context)
	case o.MaxTokens < 0:
		return fail("%s is %d, the least is 0 (no bound)", store.ArgMaxTokens, o.MaxTokens)
	case from && o.FromLine < 1:
		return fault.TooSmall(op, path, store.ArgFromLine, int64(o.FromLine), 1)
	case to && o.ToLine < 1:
		return fault.TooSmall(op, path, store.ArgToLine, int64(o.ToLine), 1)
	case to && o.FromLine > o.ToLine:
		return fail("%s %d is after %s %d", store.ArgFromLine, o.FromLine, store.ArgToLine, o.ToLine)
	case version:
		return fault.CheckNumber(op, path, store.ArgVersion, o.Version, 1)
	}
	return nil
}

// CheckLoaded refuses options that are wrong for this file, which exists, as it was loaded.
func (o Options) CheckLoaded(l store.Loaded) error {
	head := l.File
	switch {
	case o.Version != 0:
		return condition.Readable(head, l.Version, o.Version)
	case o.given(store.ArgSince, o.Since) && o.Since < 1:
		return fault.Or(store.Errorf(store.ErrInvalid, "%s must be 1 or more, the current version is %d", store.ArgSince, head.Version), store.DoReadWhole, head.Version)
	case o.Since > head.Version:
		return fault.Or(store.Errorf(store.ErrInvalid, "%s is %d, the current version is %d", store.ArgSince, o.Since, head.Version), store.DoReadWhole, head.Version)
	}
	return nil
}
