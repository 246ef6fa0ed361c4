package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		there  string // separated by spaces
		asked  string
		near   string // "": none
		reason string
	}{
		{"notes/plan.md notes/plain.txt", "notes/plam.md", "notes/plan.md", "one letter is wrong"},
		{"notes/plan.md", "Notes/Plan.md", "notes/plan.md", "the case is wrong"},
		{"notes/plan.md", "plan.md", "notes/plan.md", "the folder is missing"},
		{"plan.md", "home/me/plan.md", "plan.md", "there is a folder too many"},
		{"docs/plan.md", "notes/plan.md", "docs/plan.md", "the folder is another"},
		{"plan.md plans", "plan", "plan.md", "the extension is missing"},
		{"plan.md", "plan", "plan.md", "the extension is missing"},
		{"runs/1 runs/3", "runs/2", "runs/1", "two are as near: the first"},
		{"a b c", "z", "", "a name of one letter is another one"},
		{"budget.csv todo", "plan.md", "", "nothing is like it"},
		{"", "plan.md", "", "there is nothing"},
		{"notes/plan.md", "notes/2026/11/plans/quarter.md", "", "only the folder is the same"},
	} {
		ws := newWorkspace(t, workspace.Options{})
		for _, path := range strings.Fields(c.there) {
			write(t, ws, path, "x")
			appendLog(t, ws, path, "x")
		}
		says := "there is no such file; ListFiles shows"
		if c.near != "" {
			says = "there is no such file; the nearest name is " + c.near + ":"
		}
		for op, err := range map[string]error{
			"ReadFile": failure(ws.ReadFile(t.Context(), c.asked, workspace.ReadOptions{})),
			"EditFile": failure(ws.EditFile(t.Context(), c.asked, "x", "y", workspace.EditOptions{})),
			"History":  failure(ws.History(t.Context(), c.asked)),
		} {
			wantErr(t, fmt.Sprintf("%s(%s) of %q, where %s", op, c.asked, c.there, c.reason), err, workspace.ErrNotFound, says)
		}
		if page := readLog(t, ws, c.asked, workspace.ReadLogOptions{}); page.Exists || page.Nearest != c.near {
			t.Errorf("ReadLog(%s) of %q exists: %v, nearest %q, want %q", c.asked, c.there, page.Exists, page.Nearest, c.near)
		}
	}
}

func failure[T any](_ T, err error) error { return err }

// The hint for a file that is a log, or the other way round, says so.
func TestNameOfTheOtherKind(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "file", "x")
	write(t, ws, "logs", "x")
	appendLog(t, ws, "log", "x")
	_, err := ws.ReadFile(t.Context(), "log", workspace.ReadOptions{})
	wantErr(t, "ReadFile of a log", err, workspace.ErrNotFound, "there is no such file, but a log of this name; use ReadLog:")
	for path, isFile := range map[string]bool{"file": true, "log": false, "none": false} {
		if page := readLog(t, ws, path, workspace.ReadLogOptions{}); page.IsFile != isFile || page.Nearest != "" || page.Exists != (path == "log") {
			t.Errorf("ReadLog(%s) = %+v, want IsFile %v and no name", path, page, isFile)
		}
	}
	testkit.Must(t, failure(ws.DeleteLog(t.Context(), "log", workspace.DeleteOptions{})))
	_, err = ws.ReadFile(t.Context(), "log", workspace.ReadOptions{})
	wantErr(t, "ReadFile of a deleted log", err, workspace.ErrNotFound, "the nearest name is logs:")
}

// No hint names what another agent has, nor what was deleted.
func TestNearestIsOnesOwn(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	other, ws := agentOf(t, svc, "other"), agentOf(t, svc, "a")
	write(t, other, "secret.md", "x")
	appendLog(t, other, "secret.md", "x")
	write(t, ws, "secrets.md", "x")
	appendLog(t, ws, "secrets.md", "x")
	for _, remove := range []func() error{
		func() error {
			return failure(ws.DeleteFile(t.Context(), "secrets.md", workspace.DeleteOptions{}))
		},
		func() error {
			return failure(ws.DeleteLog(t.Context(), "secrets.md", workspace.DeleteOptions{}))
		},
	} {
		testkit.Must(t, remove())
	}
	_, err := ws.ReadFile(t.Context(), "secret.md", workspace.ReadOptions{})
	wantErr(t, "a file that only another agent has", err, workspace.ErrNotFound, "ListFiles")
	if page := readLog(t, ws, "secret.md", workspace.ReadLogOptions{}); page.Nearest != "" {
		t.Errorf("the nearest of a log that only another agent has is %q, want none", page.Nearest)
	}
}
