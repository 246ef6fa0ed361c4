package ha

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
)

// newKey makes a key and returns its id and its text.
func newKey(t testing.TB, db string, flags ...string) (id, key string) {
	t.Helper()
	return readKey(t, command(t, db, append([]string{"keys", "create", "--json"}, flags...)...))
}

func readKey(t testing.TB, out string) (id, key string) {
	t.Helper()
	var created struct{ ID, Key string }
	must(t, json.Unmarshal([]byte(out), &created))
	return created.ID, created.Key
}

// A use is one kind of call that is made with a key at one server, all the time.
type use struct {
	url, tool, args string
	c               *client

	mu   sync.Mutex // guards the following
	n    int        // calls that succeeded
	last time.Time  // when the last of them began
}

func (u *use) keepCalling(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		_, err := u.c.call(ctx, u.url, u.tool, u.args, "")
		u.mu.Lock()
		if err == nil {
			u.n, u.last = u.n+1, began
		}
		u.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
	}
}

func (u *use) seen() (n int, last time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.n, u.last
}

// A keyChange is what an operator does to a key that is in use.
type keyChange struct {
	name  string
	args  []string // of scratchpad keys; ID stands for the key
	read  bool     // reading goes on
	write bool
}

var keyChanges = []keyChange{
	{name: "revoke", args: []string{"revoke", "ID"}},
	{name: "narrow to read", args: []string{"set", "ID", "--scopes", "read"}, read: true},
	{name: "to another agent", args: []string{"set", "ID", "--agents", "other"}},
	{name: "rotate at once", args: []string{"rotate", "ID", "--overlap", "0s", "--json"}},
	{name: "rotate", args: []string{"rotate", "ID", "--json"}, read: true, write: true},
}

// A key that is made on the command line opens all servers at once. A change of it holds in
// all of them: no call that begins a second after the command has ended succeeds if it may
// not.
func TestKeys(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 3, db, "--trusted-proxy", "127.0.0.0/8")
	for i, change := range keyChanges {
		t.Run(change.name, func(t *testing.T) {
			t.Parallel()
			change.check(t, db, servers, fmt.Sprintf("192.0.2.%d", i))
		})
	}
}

func (k keyChange) check(t *testing.T, db string, servers []*server, from string) {
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	defer calling.Wait()
	defer stop()
	id, key := newKey(t, db, "--agents", "a,b", "--scopes", "read,write")
	c := newClient(key)
	c.from = from // wrong keys block an address
	var uses []*use
	for _, s := range servers {
		for tool, args := range map[string]string{"list_files": `"agent_id":"a"`, "append_log": `"agent_id":"a","path":"l","entry":"x"`} {
			u := &use{url: s.url(), tool: tool, args: args, c: c}
			uses = append(uses, u)
			calling.Go(func() { u.keepCalling(ctx) })
		}
	}
	waitFor(t, "every server to know the key", func() bool {
		return !slices.ContainsFunc(uses, func(u *use) bool { n, _ := u.seen(); return n == 0 })
	})
	args := slices.Clone(k.args)
	args[slices.Index(args, "ID")] = id
	out := command(t, db, append([]string{"keys"}, args...)...)
	acknowledged := time.Now()
	time.Sleep(1500 * time.Millisecond)
	for _, u := range uses {
		allowed := u.tool == "list_files" && k.read || u.tool == "append_log" && k.write
		if allowed {
			waitFor(t, "a call that is allowed", func() bool { _, last := u.seen(); return last.Sub(acknowledged) > time.Second })
		}
		n, last := u.seen()
		if after := last.Sub(acknowledged); (after > time.Second) != allowed {
			t.Errorf("%s at %s: of %d calls that succeed, the last begins %v after the change; it is allowed: %v", u.tool, u.url, n, after, allowed)
		}
	}
	if k.args[0] != "rotate" {
		return
	}
	_, key = readKey(t, out)
	again := newClient(key)
	again.from = "198.51.100.1"
	for _, s := range servers {
		if _, err := again.call(t.Context(), s.url(), "list_files", `"agent_id":"b"`, ""); err != nil {
			t.Errorf("with the new secret at %s: %v", s.url(), err)
		}
	}
}
