package workspace_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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
