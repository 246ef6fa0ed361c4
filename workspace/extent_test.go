package workspace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An extent says how much there is to read, and does not count as a read.
func TestExtent(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for _, text := range []string{"one", "the longest", "two"} {
		write(t, ws, "f", text)
	}
	appendLog(t, ws, "g", "12345", strings.Repeat("x", 10))
	for range 7 {
		appendLog(t, ws, "long", strings.Repeat("x", 60<<10))
	}
	before := usage(t, ws).Operations
	for path, want := range map[string]workspace.Extent{"f": {Version: 3, Bytes: 3, Largest: 11}, "none": {}} {
		if got, err := ws.FileExtent(t.Context(), path); err != nil || got != want {
			t.Errorf("FileExtent(%s) = %+v, %v, want %+v", path, got, err, want)
		}
	}
	for path, want := range map[string]int64{"g": 15, "none": 0, "long": 256 << 10} {
		if got, err := ws.LogExtent(t.Context(), path); err != nil || got != (workspace.Extent{Bytes: want}) {
			t.Errorf("LogExtent(%s) = %+v, %v, want %d bytes", path, got, err, want)
		}
	}
	_, err := ws.FileExtent(t.Context(), "../f")
	wantErr(t, "FileExtent of a bad path", err, workspace.ErrInvalid)
	if got := usage(t, ws).Operations - 1; got != before { // Usage counts itself
		t.Errorf("%d operations, want %d as before", got, before)
	}
}

// weighed are calls of an agent with a file f and a log g, and what they tell a weigher.
var weighed = map[string]struct {
	want   workspace.Extent
	writes bool
	call   func(context.Context, *workspace.Workspace) error
}{
	"read":           {extentOfF, false, readOf(workspace.ReadOptions{})},
	"read a version": {extentOfF, false, readOf(workspace.ReadOptions{Version: 2})},
	"read since":     {extentOfF, false, readOf(workspace.ReadOptions{Since: 1})},
	"read log": {workspace.Extent{Bytes: 15}, false, func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.ReadLog(ctx, "g", workspace.ReadLogOptions{})
		return err
	}},
	"changes": {workspace.Extent{Rows: 4, Largest: 32 + 20<<10}, false, func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.Changes(ctx, workspace.ChangesOptions{Since: 1, Diffs: true})
		return err
	}},
	"edit": {workspace.Extent{Version: 1, Bytes: 20 << 10, Largest: 20 << 10}, true, func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.EditFile(ctx, "large", "", "more", workspace.EditOptions{IdempotencyKey: "k"})
		return err
	}},
	"move": {extentOfF, true, func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.MoveFile(ctx, "f", "h", workspace.MoveOptions{})
		return err
	}},
}

var extentOfF = workspace.Extent{Version: 3, Bytes: 3, Largest: 11}

func readOf(o workspace.ReadOptions) func(context.Context, *workspace.Workspace) error {
	return func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.ReadFile(ctx, "f", o)
		return err
	}
}

// A call tells its weigher what it is about to read, and does nothing if that refuses.
func TestWithWeigher(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for _, text := range []string{"one", "the longest", "two"} {
		write(t, ws, "f", text)
	}
	appendLog(t, ws, "g", "12345", strings.Repeat("x", 10))
	write(t, ws, "large", strings.Repeat("x", 20<<10))
	for name, c := range weighed {
		t.Run(name, func(t *testing.T) {
			before, refused := usage(t, ws), errors.New("refused")
			var told []workspace.Extent
			weigh := func(err error) context.Context {
				return workspace.WithWeigher(t.Context(), func(e workspace.Extent) error { told = append(told, e); return err })
			}
			if err := c.call(weigh(refused), ws); !errors.Is(err, refused) || len(told) != 1 || told[0] != c.want {
				t.Errorf("told %+v, then %v, want %+v and the refusal", told, err, c.want)
			}
			after := usage(t, ws)
			if after.Operations--; after != before { // Usage counts itself
				t.Errorf("after a refusal %+v, want %+v as before", after, before)
			}
			if c.writes {
				return // it would change what the others read
			}
			if err := c.call(weigh(nil), ws); err != nil || len(told) != 2 {
				t.Errorf("with a weigher that agrees: %v, told %+v", err, told)
			}
		})
	}
}
