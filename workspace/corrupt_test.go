package workspace_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// writeDamaged stores a version of an agent's file f whose SHA-256 is another one's.
func writeDamaged(t testing.TB, store workspace.Store, agent, content string) {
	t.Helper()
	testkit.Must(t, store.Update(t.Context(), port.Owner{Tenant: "local", Agent: agent}, func(tx port.Tx) error {
		l, err := tx.Load(port.Query{File: "f"})
		if err != nil {
			return err
		}
		head := l.File
		v := workspace.Version{Number: head.Version + 1, Size: int64(len(content)), Content: []byte(content)}
		head.Version, head.Sizes = v.Number, append(head.Sizes, v.Size)
		return tx.Apply(port.FileChange{Head: head, New: &v, Owner: l.Owner})
	}))
}

// If stored bytes are not those that were written, the error is ErrCorrupt and names
// them. Other content is not affected, and a new version heals the file.
func TestCorrupt(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for range 3 {
		write(t, ws, "f", plan(50))
		write(t, ws, "g", plan(50))
		appendLog(t, ws, "l", "x")
		appendLog(t, ws, "m", "x")
	}
	writeDamaged(t, store, "a", "bad")
	err := store.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
		l, err := tx.Load(port.Query{Log: "l"})
		if err != nil {
			return err
		}
		log := l.Log
		e := workspace.Entry{ID: log.Last + 1, Content: []byte("bad")}
		log.Last++
		return tx.Apply(port.LogChange{Head: log, New: []workspace.Entry{e}, Owner: l.Owner})
	})
	testkit.Must(t, err)
	for _, o := range []workspace.ReadOptions{{}, {Version: 4}, {Since: 3}, {FromLine: 1, ToLine: 1}} {
		_, err := ws.ReadFile(t.Context(), "f", o)
		wantErr(t, "ReadFile of a damaged version", err, workspace.ErrCorrupt, "read f: ", "version 4", "SHA-256")
	}
	_, err = ws.EditFile(t.Context(), "f", "bad", "good", workspace.EditOptions{})
	wantErr(t, "EditFile of a damaged version", err, workspace.ErrCorrupt, "edit f: ", "version 4")
	_, err = ws.ReadLog(t.Context(), "l", workspace.ReadLogOptions{})
	wantErr(t, "ReadLog with a damaged entry", err, workspace.ErrCorrupt, "read log l: ", "entry 4")

	if page := readLog(t, ws, "l", workspace.ReadLogOptions{Limit: 3}); len(page.Entries) != 3 {
		t.Errorf("the page before the damaged entry = %+v, want three entries", page)
	}
	if page := readLog(t, ws, "m", workspace.ReadLogOptions{}); len(page.Entries) != 3 {
		t.Errorf("another log = %+v, want three entries", page)
	}
	for n := int64(1); n <= 3; n++ {
		read(t, ws, "g", workspace.ReadOptions{Version: n})
	}
	write(t, ws, "f", plan(50))
	if r := read(t, ws, "f", workspace.ReadOptions{}); string(r.Content) != plan(50) || r.Current != 5 {
		t.Errorf("a new version over a damaged one = %+v, want version 5", r)
	}
	_, err = ws.ReadFile(t.Context(), "f", workspace.ReadOptions{Since: 4})
	wantErr(t, "ReadFile since a damaged version", err, workspace.ErrCorrupt, "version 4")
}
