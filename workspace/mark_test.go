package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func wantMark(t *testing.T, ws *workspace.Workspace, name string, want int64, there bool) {
	t.Helper()
	if got, found, err := ws.Mark(t.Context(), name); err != nil || got != want || found != there {
		t.Errorf("Mark(%s) = %d, %v, %v, want %d, %v", name, got, found, err, want, there)
	}
}

func setMark(t *testing.T, ws *workspace.Workspace, name string, revision int64) {
	t.Helper()
	if err := ws.SetMark(t.Context(), name, revision); err != nil {
		t.Fatalf("SetMark(%s, %d) = %v", name, revision, err)
	}
}

func TestMark(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	a, b := agentOf(t, svc, "a"), agentOf(t, svc, "b")
	wantMark(t, a, "m", 0, false)
	setMark(t, a, "m", 0)
	wantMark(t, a, "m", 0, true)
	setMark(t, a, "m", 7)
	setMark(t, a, "m", 5) // a slower reader
	wantMark(t, a, "m", 7, true)
	wantMark(t, a, "n", 0, false)
	wantMark(t, b, "m", 0, false)
	setMark(t, b, "m", 1)
	testkit.Must(t, failure(svc.DeleteAgent(t.Context(), "a")))
	wantMark(t, a, "m", 0, false)
	wantMark(t, b, "m", 1, true)
}

func TestMarkRefused(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for _, name := range []string{"", "a/b", "a b", "ä", strings.Repeat("x", 129)} {
		wantErr(t, "SetMark of "+name, ws.SetMark(t.Context(), name, 1), workspace.ErrInvalid)
		_, _, err := ws.Mark(t.Context(), name)
		wantErr(t, "Mark of "+name, err, workspace.ErrInvalid)
	}
	wantErr(t, "SetMark below 0", ws.SetMark(t.Context(), "m", -1), workspace.ErrInvalid)
	for i := range 100 {
		setMark(t, ws, fmt.Sprint("m", i), 1)
	}
	wantErr(t, "SetMark of one more", ws.SetMark(t.Context(), "more", 1), workspace.ErrQuota, "100 marks")
	setMark(t, ws, "m3", 2)
	wantMark(t, ws, "m3", 2, true)
}
