package workspace_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func move(ctx context.Context, ws *workspace.Workspace, path, newPath string) (workspace.MoveResult, error) {
	return ws.MoveFile(ctx, path, newPath, workspace.MoveOptions{})
}

func mustMove(t testing.TB, ws *workspace.Workspace, path, newPath string) workspace.MoveResult {
	t.Helper()
	r, err := move(t.Context(), ws, path, newPath)
	testkit.Must(t, err)
	return r
}

// contentsOf returns the retained versions of a file with their contents.
func contentsOf(t testing.TB, ws *workspace.Workspace, path string) map[int64]string {
	t.Helper()
	history, err := ws.History(t.Context(), path)
	testkit.Must(t, err)
	texts := map[int64]string{}
	for _, v := range history {
		texts[v.Version] = string(read(t, ws, path, workspace.ReadOptions{Version: v.Version}).Content)
	}
	return texts
}

func TestMoveRefused(t *testing.T) {
	store := newStore(t)
	ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, ws, "plan.md", "1")
	write(t, ws, "plan.md", "2")
	write(t, ws, "taken", "x")
	appendLog(t, ws, "log", "x")
	before := journalOf(t, store, "a", 0)
	for _, test := range []struct {
		from, to  string
		ifVersion *int64
		kind      error
		says      []string
	}{
		{"plan.md", "taken", nil, workspace.ErrConflict, []string{"move plan.md: taken exists at version 1; give another newPath, or delete that file first: conflict"}},
		{"plan.md", "plan.md", nil, workspace.ErrInvalid, []string{"move plan.md: path and newPath are equal"}},
		{"plan", "new", nil, workspace.ErrNotFound, []string{"move plan: there is no such file; the nearest name is plan.md"}},
		{"log", "new", nil, workspace.ErrNotFound, []string{"there is no such file, but a log of this name"}},
		{"none", "taken", nil, workspace.ErrNotFound, []string{"move none: "}},
		{"../a", "new", nil, workspace.ErrInvalid, []string{"move path ../a: "}},
		{"plan.md", "../a", nil, workspace.ErrInvalid, []string{"move newPath ../a: "}},
		{"plan.md", "", nil, workspace.ErrInvalid, []string{"newPath"}},
		{"plan.md", "new", ptr(1), workspace.ErrConflict, []string{"it is at version 2, IfVersion is 1"}},
		{"plan.md", "new", ptr(0), workspace.ErrInvalid, []string{"IfVersion is 0, the least is 1"}},
	} {
		_, err := ws.MoveFile(t.Context(), test.from, test.to, workspace.MoveOptions{IfVersion: test.ifVersion})
		wantErr(t, fmt.Sprintf("MoveFile %s to %s", test.from, test.to), err, test.kind, test.says...)
	}
	if after := journalOf(t, store, "a", 0); len(after) != len(before) {
		t.Errorf("refused moves are in the journal: %+v", after[len(before):])
	}
	if got := contentsOf(t, ws, "plan.md"); len(got) != 2 || got[2] != "2" {
		t.Errorf("after refused moves the file has %v, want both versions", got)
	}
	if r, err := ws.MoveFile(t.Context(), "plan.md", "log", workspace.MoveOptions{IfVersion: ptr(2)}); err != nil || r.Version != 3 {
		t.Errorf("MoveFile to the path of a log = %+v, %v, want version 3", r, err)
	}
}

// A move needs room for one more version, but not for one more file.
func TestMoveQuota(t *testing.T) {
	const room = 2*10 + port.PathCharge + 2*port.VersionCharge
	store := newStore(t)
	options := func(bytes int64) workspace.Options {
		return workspace.Options{Limits: workspace.Limits{Files: 1, Bytes: bytes, Versions: 2}}
	}
	ws := agentOf(t, serviceOn(t, store, options(room-1)), "a")
	write(t, ws, "f", "0123456789")
	_, err := move(t.Context(), ws, "f", "g")
	wantErr(t, "MoveFile without room", err, workspace.ErrQuota, "move f: ", fmt.Sprintf("of %d are used", room-1))
	ws = agentOf(t, serviceOn(t, store, options(room)), "a")
	for i, name := range []string{"g", "h", "f", "g"} {
		from := []string{"f", "g", "h", "f"}[i]
		if r := mustMove(t, ws, from, name); r.Version != int64(i+2) {
			t.Errorf("MoveFile to %s = %+v, want version %d", name, r, i+2)
		}
	}
	if got := contentsOf(t, ws, "g"); len(got) != 2 {
		t.Errorf("the file has versions %v, want two", got)
	}
}

// A repeated move gets the first answer, whatever happened since.
func TestMoveRepeated(t *testing.T) {
	store := newStore(t)
	ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, ws, "f", "x")
	write(t, ws, "h", "x")
	keyed := workspace.MoveOptions{IdempotencyKey: "k"}
	first, err := ws.MoveFile(t.Context(), "f", "g", keyed)
	testkit.Must(t, err)
	write(t, ws, "f", "another")
	mustMove(t, ws, "g", "i")
	rows := journalOf(t, store, "a", 0)
	for range 2 {
		if again, err := ws.MoveFile(t.Context(), "f", "g", keyed); err != nil || again != first {
			t.Errorf("the move again = %+v, %v, want %+v", again, err, first)
		}
	}
	for _, other := range [][2]string{{"f", "j"}, {"h", "g"}, {"fg", "h"}} {
		_, err := ws.MoveFile(t.Context(), other[0], other[1], keyed)
		wantErr(t, "another move under the key", err, workspace.ErrConflict, "another request")
	}
	_, err = ws.MoveFile(t.Context(), "f", "g", workspace.MoveOptions{IdempotencyKey: "k", IfVersion: ptr(1)})
	wantErr(t, "a move on a condition under the key", err, workspace.ErrConflict, "another request")
	if after := journalOf(t, store, "a", 0); len(after) != len(rows) {
		t.Errorf("a repeated move changed something: %+v", after[len(rows):])
	}
}

// Summaries are of a file at its path. A move removes them, and their bytes.
func TestMoveForgetsSummaries(t *testing.T) {
	m := &model{}
	ws := newWorkspace(t, workspace.Options{Summarizer: m.remote()})
	text := longText("a")
	write(t, ws, "f", text)
	summarize(t, ws, "f")
	mustMove(t, ws, "f", "g")
	if u := usage(t, ws); u.Bytes != 2*int64(len(text)) {
		t.Errorf("after the move %d bytes are used, want %d", u.Bytes, 2*len(text))
	}
	if r := summarize(t, ws, "g"); r.Cached {
		t.Errorf("Summarize = %+v, want a new summary", r)
	}
	m.wantCalls(t, 2)
}

// The old path counts as a deleted one. Beyond the limit of those, the oldest is forgotten
// and raises the floor.
func TestMoveFolds(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for range 3 {
		write(t, ws, "gone", "x")
	}
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "gone", workspace.DeleteOptions{})))
	write(t, ws, "f", "x")
	changeState(t, store, func(s *port.OwnerState) { s.DeletedFiles = 10_000 }) // as if there were so many
	mustMove(t, ws, "f", "g")
	r, err := ws.WriteFile(t.Context(), "other", nil, workspace.WriteOptions{})
	if err != nil || r.Version != 4 {
		t.Errorf("the next new path begins with %+v, %v, want version 4", r, err)
	}
}
