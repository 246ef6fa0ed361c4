package ha

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
)

// newKey makes a key and returns its id and its text.
func newKey(t testing.TB, db string, flags ...string) (id, key string) {
	t.Helper()
	return process.NewKey(t, scratchpadPath, db, flags...)
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
	id, key := newKey(t, db, "--agents", "a,b", "--scopes", "read,write")
	c := newClient(key)
	c.from = from // wrong keys block an address
	call := func(c *client, s *server, write bool) error {
		tool, args := "list_files", `"agent_id":"a"`
		if write {
			tool, args = "append_log", args+`,"path":"l","entry":"x"`
		}
		_, err := c.call(t.Context(), s.URL, tool, args, "")
		return err
	}
	for _, s := range servers { // now every server knows the key
		must(t, errors.Join(call(c, s, false), call(c, s, true)))
	}
	args := slices.Clone(k.args)
	args[slices.Index(args, "ID")] = id
	out := command(t, db, append([]string{"keys"}, args...)...)
	acknowledged := time.Now()
	for late := false; !late; { // the servers are asked all the time
		late = time.Since(acknowledged) > time.Second
		for _, s := range servers {
			for write, allowed := range map[bool]bool{false: k.read, true: k.write} {
				if err := call(c, s, write); late && (err == nil) != allowed || !late && allowed && err != nil {
					t.Errorf("a call at %s that writes (%v), a second after the change (%v): %v; it is allowed: %v", s.URL, write, late, err, allowed)
				}
			}
		}
	}
	if k.args[0] != "rotate" {
		return
	}
	var rotated struct{ Key string }
	must(t, json.Unmarshal([]byte(out), &rotated))
	again := newClient(rotated.Key)
	again.from = "198.51.100.1"
	for _, s := range servers {
		if err := call(again, s, false); err != nil {
			t.Errorf("with the new secret at %s: %v", s.URL, err)
		}
	}
}
