package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// once appends an entry with Once, and checks its number, and whether it was there.
func once(t testing.TB, ws *workspace.Workspace, path, entry string, id int64, repeated bool) {
	t.Helper()
	got, err := ws.AppendLogWith(t.Context(), path, workspace.AppendOptions{Once: true}, []byte(entry))
	want := workspace.AppendResult{Path: path, First: id, Last: id, Bytes: int64(len(entry)), Repeated: repeated}
	if err != nil || got != want {
		t.Errorf("append %q to %s once = %+v, %v, want %+v", entry, path, got, err, want)
	}
}

func TestAppendOnce(t *testing.T) {
	clock := testkit.NewClock()
	ws := newWorkspace(t, workspace.Options{Now: clock.Now})
	appendLog(t, ws, "l", "x")
	once(t, ws, "l", "x", 2, false) // both must be sent with Once
	once(t, ws, "l", "x", 2, true)
	once(t, ws, "l", "", 3, false)
	once(t, ws, "l", "", 3, true)
	once(t, ws, "m", "x", 1, false)
	once(t, ws, "l", "y", 4, false)
	before := usage(t, ws)
	once(t, ws.As(workspace.Author{Client: "another"}), "l", "x", 2, true)
	if after := usage(t, ws); after.Bytes != before.Bytes || after.Entries != before.Entries {
		t.Errorf("usage after a repeated append is %+v, before %+v", after, before)
	}

	clock.Advance(24*time.Hour - time.Microsecond)
	once(t, ws, "l", "x", 2, true)
	clock.Advance(time.Microsecond)
	once(t, ws, "l", "x", 5, false)
	once(t, ws, "l", "x", 5, true)
	clock.Advance(-25 * time.Hour) // the clock is set back: stored twice, never lost
	once(t, ws, "l", "x", 6, false)
	once(t, ws, "l", "x", 6, true)
}

// An entry that is gone is stored again.
func TestAppendOnceAgain(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	once(t, ws, "l", "x", 1, false)
	once(t, ws, "l", "y", 2, false)
	trimLog(t, ws, "l", 1, workspace.DeleteOptions{})
	once(t, ws, "l", "y", 2, true)
	once(t, ws, "l", "x", 3, false)
	once(t, ws, "l", "x", 3, true)
	trimLog(t, ws, "l", 3, workspace.DeleteOptions{})
	once(t, ws, "l", "x", 4, false)
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "l", workspace.DeleteOptions{})))
	once(t, ws, "l", "x", 5, false)
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "l", workspace.DeleteOptions{})))
	appendLog(t, ws, "l", "z")
	once(t, ws, "l", "x", 7, false)
	once(t, ws, "l", "x", 7, true)
}

// A redacted entry is stored again, and matches no condition.
func TestRedactedEntry(t *testing.T) {
	for _, entry := range []string{`{"a":1}`, ""} {
		svc, st := newService(t, workspace.Options{})
		ws := agentOf(t, svc, "a")
		once(t, ws, "l", entry, 1, false)
		once(t, ws, "l", `{"a":2}`, 2, false)
		testkit.Must(t, st.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
			l, err := tx.Load(port.Query{Log: "l"})
			testkit.Must(t, err)
			l.Log.Bytes -= int64(len(entry))
			l.Owner.Bytes -= int64(len(entry))
			return tx.Apply(port.EntryRedaction{Head: l.Log, ID: 1, Redaction: port.Redaction{Time: time.Now()}, Owner: l.Owner})
		}))
		if page := readLog(t, ws, "l", workspace.ReadLogOptions{Where: "a>0"}); page.Matched != 1 || page.Total != 2 {
			t.Errorf("a log with a redacted entry: %d of %d match, want 1 of 2", page.Matched, page.Total)
		}
		once(t, ws, "l", entry, 3, false)
		once(t, ws, "l", entry, 3, true)
		testkit.Must(t, st.View(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(r port.Reader) error {
			owner, err := r.Owner()
			if owner.Requests != 2 {
				t.Errorf("%d requests are counted, want 2", owner.Requests)
			}
			return err
		}))
	}
}

func TestAppendOnceRefuses(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	_, err := ws.AppendLogWith(t.Context(), "l", workspace.AppendOptions{Once: true, IdempotencyKey: "k"}, []byte("x"))
	wantErr(t, "Once with a key", err, workspace.ErrInvalid, "Once and an idempotency key exclude each other")
	_, err = ws.AppendLogWith(t.Context(), "l", workspace.AppendOptions{Once: true}, []byte("x"), []byte("y"))
	wantErr(t, "Once with two entries", err, workspace.ErrInvalid, "Once is for one entry, not 2")
	_, err = ws.AppendLogWith(t.Context(), "l", workspace.AppendOptions{IdempotencyKey: "once\t" + strings.Repeat("0", 64)}, []byte("x"))
	wantErr(t, "a key that looks like one of Once", err, workspace.ErrInvalid, "printable")
}

// Many appends at once, of two processes, are one entry.
func TestAppendOnceTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db")
	var agents []*workspace.Workspace
	for range 2 {
		st, err := sqlite.Open(t.Context(), file, sqlite.Options{})
		testkit.Must(t, err)
		svc, err := workspace.New(st, workspace.Options{})
		testkit.Must(t, err)
		t.Cleanup(func() { testkit.Must(t, errors.Join(svc.Close(context.Background()), st.Close())) })
		agents = append(agents, agentOf(t, svc, "a"))
	}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			r, err := agents[i%2].AppendLogWith(t.Context(), "l", workspace.AppendOptions{Once: true}, fmt.Append(nil, i/4))
			if err != nil || r.Last < 1 || r.Last > 10 {
				t.Errorf("append once = %+v, %v", r, err)
			}
		})
	}
	group.Wait()
	if page := readLog(t, agents[0], "l", workspace.ReadLogOptions{}); page.Total != 10 {
		t.Errorf("40 appends of 10 entries with Once have stored %d", page.Total)
	}
}
