package failure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Each kind has its name and its exit code, and its words are not said twice.
func TestFailureKinds(t *testing.T) {
	ctx := t.Context()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code int
		want Failure
	}{
		{ctx, workspace.Errorf(workspace.ErrNotFound, "read a: there is no such file"), 3, Failure{"not_found", "read a: there is no such file", ""}},
		{ctx, fmt.Errorf("open a: %w", workspace.ErrReadOnly), 6, Failure{"read_only", "open a: read-only", ""}},
		{ctx, &workspace.Error{Op: "read", Object: "a", Kind: workspace.ErrNotFound}, 3, Failure{"not_found", "read a: not found", ""}},
		{ctx, &workspace.Error{Op: "read", Object: "a", Kind: workspace.ErrBusy, Err: workspace.Errorf(workspace.ErrBusy, "nothing happened")}, 6, Failure{"busy", "read a: nothing happened", ""}},
		{ctx, &workspace.Error{Op: "read", Object: "a", Kind: workspace.ErrCorrupt, Err: fmt.Errorf("sqlite: it is damaged: %w", workspace.ErrCorrupt)}, 6, Failure{"corrupt", "read a: sqlite: it is damaged: corrupt", ""}},
		{ctx, workspace.Errorf(workspace.ErrInvalid, "write a: permission denied"), 2, Failure{"invalid", "write a: permission denied", ""}},
		{ctx, workspace.Errorf(workspace.ErrStorageFull, "write a: no space is left on the disk"), 6, Failure{"storage_full", "write a: no space is left on the disk", ""}},
		{ctx, workspace.Errorf(workspace.ErrOutcomeUnknown, "write a: it may or may not be stored"), 6, Failure{"outcome_unknown", "write a: it may or may not be stored", ""}},
		{ctx, workspace.Errorf(workspace.ErrUnsupported, "open a: its schema is 9"), 6, Failure{"unsupported", "open a: its schema is 9", ""}},
		{ctx, fmt.Errorf("write a: %w", workspace.ErrClosed), 1, Failure{"closed", "write a: closed", ""}},
		{ctx, workspace.Errorf(workspace.ErrProvider, "summarize a: the server is not there"), 1, Failure{"provider", "summarize a: the server is not there", ""}},
		{ctx, OfDatabase(errors.New("doctor found a problem")), 6, Failure{"database", "doctor found a problem", ""}},
		{ctx, OfDatabase(workspace.Errorf(workspace.ErrInvalid, "it is no database of ours")), 6, Failure{"invalid", "it is no database of ours", ""}},
		{ctx, ErrDeclined, 1, Failure{"declined", "nothing was changed", ""}},
		{ctx, &fs.PathError{Op: "open", Path: "a\n\x1b\u2028", Err: fs.ErrExist}, 1, Failure{"internal", `open a\n\u001b\u2028: file already exists`, ""}},
		{ctx, errors.Join(workspace.Errorf(workspace.ErrNotFound, "read a: there is no such file"), errors.New("close: no")), 3, Failure{"not_found", "read a: there is no such file; close: no", ""}},
		{ctx, errors.Join(Hint(workspace.Errorf(workspace.ErrNotFound, "read a: there is no such file"), "look elsewhere"), nil), 3, Failure{"not_found", "read a: there is no such file", "look elsewhere"}},
		{ended, context.Canceled, 130, Failure{"interrupted", "context canceled", ""}},
		{ended, errors.New("interrupted"), 130, Failure{"interrupted", "interrupted", ""}},
	} {
		if diff := cmp.Diff(c.want, Of(c.ctx, c.err)); diff != "" || ExitCode(c.ctx, c.err) != c.code {
			t.Errorf("%v: exit code %d, want %d (-want +got):\n%s", c.err, ExitCode(c.ctx, c.err), c.code, diff)
		}
	}
}
