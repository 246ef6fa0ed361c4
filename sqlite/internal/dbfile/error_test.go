package dbfile_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestErrors(t *testing.T) {
	full := dbfile.WithKind(&os.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC})
	lost := errors.New("it was removed")
	for _, c := range []struct {
		err           error
		kind          error
		is            error // nil: no other
		want, without string
	}{
		{full, store.ErrStorageFull, nil, "write a: no space left on device: storage full", "write a: no space left on device"},
		{dbfile.Wrap(full, "open %s", "b"), store.ErrStorageFull, nil, "open b: write a: no space left on device: storage full", "open b: write a: no space left on device"},
		{dbfile.Wrap(store.ErrClosed, "check"), store.ErrClosed, nil, "check: closed", "check: closed"},
		{dbfile.Wrap(context.Canceled, "check"), nil, context.Canceled, "check: context canceled", "check: context canceled"},
		{store.CausedBy(lost, store.ErrCorrupt, "%s; start again", dbfile.Plain(lost)), store.ErrCorrupt, lost, "it was removed; start again: corrupt", "it was removed; start again"},
		{store.CausedBy(context.DeadlineExceeded, store.ErrBusy, "try again"), store.ErrBusy, context.DeadlineExceeded, "try again: busy", "try again"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("Error() = %q, want %q", got, c.want)
		}
		if got := dbfile.Plain(c.err); got != c.without {
			t.Errorf("Plain(%q) = %q, want %q", c.err, got, c.without)
		}
		if got := store.Kind(c.err); got != c.kind {
			t.Errorf("Kind(%q) = %v, want %v", c.err, got, c.kind)
		}
		if c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("%q is not %v", c.err, c.is)
		}
	}
}
