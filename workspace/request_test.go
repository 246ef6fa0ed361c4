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

// writes are one call of each sort, with another that differs in each argument.
var writes = []struct {
	call    call
	another []call
}{
	{call{op: "write", path: "f", content: "new"}, []call{
		{op: "write", path: "g", content: "new"}, {op: "write", path: "f", content: "other"}, {op: "write", path: "f", content: "new", ifVersion: ptr(1)},
		{op: "edit", path: "f", old: "one", content: "new"}, {op: "delete", path: "f"}, {op: "append", path: "f", entries: []string{"new"}},
	}},
	{call{op: "edit", path: "f", old: "one", content: "new"}, []call{
		{op: "edit", path: "g", old: "one", content: "new"}, {op: "edit", path: "f", old: "o", content: "new"}, {op: "edit", path: "f", old: "one", content: "other"},
		{op: "edit", path: "f", old: "one", content: "new", all: true}, {op: "edit", path: "f", old: "one", content: "new", ifVersion: ptr(1)},
		{op: "edit", path: "f", old: "onen", content: "ew"}, {op: "write", path: "f", content: "new"},
	}},
	{call{op: "append", path: "f", entries: []string{"new", "est"}}, []call{
		{op: "append", path: "g", entries: []string{"new", "est"}}, {op: "append", path: "f", entries: []string{"new"}}, {op: "append", path: "f", entries: []string{"newest"}},
		{op: "append", path: "f", entries: []string{"newe", "st"}}, {op: "append", path: "f", entries: []string{"new", "est", ""}}, {op: "write", path: "f", content: "new"},
	}},
	{call{op: "delete", path: "f"}, []call{
		{op: "delete", path: "g"}, {op: "delete", path: "f", ifVersion: ptr(1)}, {op: "delete log", path: "f"},
	}},
	{call{op: "delete log", path: "f"}, []call{{op: "delete log", path: "g"}, {op: "delete", path: "f"}}},
}

// A repeated request gets the first answer, whatever happened since, and
// stores nothing; within 24 hours. With another request the key is refused.
func TestRepeat(t *testing.T) {
	for _, test := range writes {
		t.Run(test.call.op, func(t *testing.T) {
			clock := testkit.NewClock()
			ws := newWorkspace(t, workspace.Options{Now: clock.Now})
			write(t, ws, "f", "zero")
			write(t, ws, "f", "one")
			appendLog(t, ws, "f", "zero", "one")
			c := test.call
			c.key = "key"
			first, err := run(t.Context(), ws, c)
			testkit.Must(t, err)
			write(t, ws, "f", "changed")
			appendLog(t, ws, "f", "changed")
			write(t, ws, "other", "changed")
			before := usage(t, ws)

			clock.Advance(24*time.Hour - time.Microsecond)
			for range 2 {
				again, err := run(t.Context(), ws.As(workspace.Author{Client: "another"}), c)
				if err != nil || again != first {
					t.Errorf("the request again = %+v, %v, want the first answer, %+v", again, err, first)
				}
			}
			for _, other := range test.another {
				other.key = "key"
				_, err := run(t.Context(), ws, other)
				wantErr(t, other.request(), err, workspace.ErrConflict, "idempotency key", "another request")
			}
			after := usage(t, ws)
			before.Operations, after.Operations = 0, 0
			if after != before {
				t.Errorf("after repeated and refused requests the usage is %+v, want %+v", after, before)
			}
			if r := read(t, ws, "f", workspace.ReadOptions{}); string(r.Content) != "changed" {
				t.Errorf("after repeated requests the file holds %q, want %q", r.Content, "changed")
			}

			clock.Advance(time.Microsecond)
			if c.op == "edit" {
				write(t, ws, "f", "one")
			}
			again, err := run(t.Context(), ws, c)
			if err != nil || again == first {
				t.Errorf("the request after 24 hours = %+v, %v, want it done anew: at first it was %+v", again, err, first)
			}
			if again2, err := run(t.Context(), ws, c); err != nil || again2 != again {
				t.Errorf("the new request again = %+v, %v, want %+v", again2, err, again)
			}
		})
	}
}

// Many at once with one key are one write.
func TestRepeatConcurrently(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "f", "one")
	for i, test := range writes[:3] {
		c := test.call
		c.key = fmt.Sprint("key", i)
		if c.op == "edit" {
			write(t, ws, "f", "one")
		}
		var mu sync.Mutex // guards answers
		answers := map[answer]int{}
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				ans, err := run(t.Context(), ws, c)
				if err != nil {
					t.Errorf("%s = %v", c.request(), err)
				}
				mu.Lock()
				answers[ans]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if len(answers) != 1 {
			t.Errorf("%s, 12 times at once with one key, was answered %v, want one answer", c.request(), answers)
		}
	}
	if u := usage(t, ws); u.Entries != 2 {
		t.Errorf("the usage is %+v, want 2 entries", u)
	}
}

func TestKeys(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, key := range []string{"a", " ", "clé", "日本", strings.Repeat("k", 128), strings.Repeat("é", 128), "🙂", `"\`} {
		o := workspace.WriteOptions{IdempotencyKey: key}
		if _, err := ws.WriteFile(t.Context(), "f", nil, o); err != nil {
			t.Errorf("WriteFile with the key %.20q = %v, want it taken", key, err)
		}
	}
	for _, test := range []struct{ key, says string }{
		{strings.Repeat("k", 129), "129 characters, limit 128"},
		{strings.Repeat("é", 129), "129 characters, limit 128"},
		{"a\nb", `'\n'`}, {"\x00", `'\x00'`}, {"\x7f", `'\x7f'`}, {"a\xff", "printable"}, {"\u200b", "printable"}, {"\u2028", "printable"},
	} {
		for _, w := range writes {
			c := w.call
			c.key = test.key
			_, err := run(t.Context(), ws, c)
			wantErr(t, fmt.Sprintf("%s with the key %.20q", c.op, test.key), err, workspace.ErrInvalid, "idempotency key", test.says)
		}
	}
}

// stateOf returns what is counted of an agent.
func stateOf(t testing.TB, store workspace.Store, ws *workspace.Workspace) (state port.OwnerState) {
	t.Helper()
	err := store.View(t.Context(), port.Owner{Tenant: "local", Agent: ws.Agent()}, func(r port.Reader) (err error) {
		state, err = r.Owner()
		return err
	})
	testkit.Must(t, err)
	return state
}

// changeState changes what is counted of agent a.
func changeState(t testing.TB, store workspace.Store, change func(*port.OwnerState)) {
	t.Helper()
	testkit.Must(t, store.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
		state, err := tx.Owner()
		change(&state)
		return errors.Join(err, tx.Apply(state))
	}))
}

// The newest 1,000 keys of an agent are kept.
func TestKeyCount(t *testing.T) {
	clock := testkit.NewClock()
	svc, store := newService(t, workspace.Options{Now: clock.Now})
	ws, other := agentOf(t, svc, "a"), agentOf(t, svc, "b")
	put := func(ws *workspace.Workspace, n int) int64 {
		t.Helper()
		r, err := ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{IdempotencyKey: fmt.Sprint(n)})
		testkit.Must(t, err)
		return r.Version
	}
	put(other, 0)
	for n := range 1005 {
		put(ws, n)
		clock.Advance(time.Second)
	}
	if n := stateOf(t, store, ws).Requests; n != 1000 {
		t.Errorf("%d keys are kept after 1,005, want 1,000", n)
	}
	if v := put(ws, 5); v != 6 {
		t.Errorf("the oldest of the 1,000 newest keys gets version %d, want that of its first use, 6", v)
	}
	if v := put(ws, 4); v != 1006 {
		t.Errorf("the key before it gets version %d, want a new one, 1006", v)
	}
	if v := put(other, 0); v != 1 {
		t.Errorf("a key of another agent gets version %d, want that of its first use, 1", v)
	}
}

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
	trimLog(t, ws, "l", 1)
	once(t, ws, "l", "y", 2, true)
	once(t, ws, "l", "x", 3, false)
	once(t, ws, "l", "x", 3, true)
	trimLog(t, ws, "l", 3)
	once(t, ws, "l", "x", 4, false)
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "l", workspace.DeleteLogOptions{})))
	once(t, ws, "l", "x", 5, false)
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "l", workspace.DeleteLogOptions{})))
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
