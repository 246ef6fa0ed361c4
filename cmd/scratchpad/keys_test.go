package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// runKeys runs scratchpad keys on a database, while servers use it. It returns what the
// command says and when it had ended.
func runKeys(t *testing.T, db string, args ...string) (out string, ended time.Time) {
	t.Helper()
	o := runCommand(t, ".", nil, append([]string{"keys", "--db", db}, args...)...)
	o.must(t, 0)
	return o.out, time.Now()
}

// newKey makes a key by the command.
func newKey(t *testing.T, db, tenant string, scopes auth.Scopes, agents ...string) (id, text string) {
	t.Helper()
	out, _ := runKeys(t, db, "create", "--tenant", tenant, "--agents", strings.Join(agents, ","), "--scopes", scopes.String(), "--json")
	text = theKey(t, out)
	return text[3:11], text
}

// theKey returns the key that an answer in JSON has.
func theKey(t *testing.T, out string) string {
	t.Helper()
	var k report.Key
	testkit.Must(t, json.Unmarshal([]byte(out), &k))
	return k.Key
}

// A use is one kind of call that is made all the time.
type use struct {
	url, key, session, tool, args string

	from string // the address, so that the wrong keys of one do not block the others

	mu   sync.Mutex // guards the following
	n    int        // calls that succeeded
	last time.Time  // when the last of them began
	bad  string     // an answer that should not be
}

const writeArgs = `"path":"l","entry":"x"`

var lastCall atomic.Int64 // the id of the last call; two uses may share a session

// post sends a message in a session of the older protocols; "": before there is one.
func (u *use) post(ctx context.Context, session, body string) (res *http.Response, answer string, err error) {
	res, answer, _, err = postMCP(ctx, http.DefaultClient, u.url, body, map[string]string{
		"Authorization": "Bearer " + u.key, "X-Forwarded-For": u.from, "Mcp-Protocol-Version": "2025-06-18", "Mcp-Session-Id": session,
	})
	return res, answer, err
}

// postMCP sends a message and returns the answer, and how long it took. An empty header is left out.
func postMCP(ctx context.Context, web *http.Client, url, body string, header map[string]string) (res *http.Response, answer string, took time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, "", 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	began := time.Now()
	if res, err = web.Do(req); err != nil {
		return nil, "", 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res, string(text), time.Since(began), err
}

// once makes a call. ok is true if it did what it asked for.
func (u *use) once(ctx context.Context) (ok bool, status int, text string) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{%s}}}`, lastCall.Add(1), u.tool, u.args)
	res, text, err := u.post(ctx, u.session, body)
	if res == nil {
		return false, 0, err.Error()
	}
	return res.StatusCode == http.StatusOK && strings.Contains(text, `"result"`) && !strings.Contains(text, `"isError":true`), res.StatusCode, text
}

// keepCalling makes calls until the context ends.
func (u *use) keepCalling(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		ok, status, text := u.once(ctx)
		u.mu.Lock()
		if ok {
			u.n, u.last = u.n+1, began
		} else if status >= 500 {
			u.bad = text
		}
		u.mu.Unlock()
		time.Sleep(20 * time.Millisecond)
	}
}

func (u *use) seen() (n int, last time.Time, bad string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.n, u.last, u.bad
}

// wait waits until so many calls have succeeded, the last of which began after a time.
func (u *use) wait(calls int, after time.Time) {
	for began := time.Now(); time.Since(began) < waitPatience; time.Sleep(10 * time.Millisecond) {
		if n, last, _ := u.seen(); n >= calls && last.After(after) {
			return
		}
	}
}

// begin begins a session of the older protocols with the key.
func (u *use) begin(t *testing.T) {
	t.Helper()
	res, _, err := u.post(t.Context(), "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	testkit.Must(t, err)
	if u.session = res.Header.Get("Mcp-Session-Id"); u.session == "" {
		t.Fatalf("no session begins: %s", res.Status)
	}
	_, _, err = u.post(t.Context(), u.session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	testkit.Must(t, err)
}

// slow sends the head of a call and half of its body. finish sends the rest.
func (u *use) slow(t *testing.T) (finish func() string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(u.url, "http://"))
	testkit.Must(t, err)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":%q,"arguments":{%s}}}`, u.tool, u.args)
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nAuthorization: Bearer %s\r\nX-Forwarded-For: 192.0.2.3\r\nMcp-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", u.key, u.session, len(body), body[:20])
	return func() string {
		defer conn.Close()
		fmt.Fprint(conn, body[20:])
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		testkit.Must(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		testkit.Must(t, err)
		return res.Status + " " + string(text)
	}
}

// A keyChange is what an operator does to a key that is in use.
type keyChange struct {
	args  []string // of scratchpad keys; ID stands for the key
	read  bool     // reading goes on
	write bool
	long  bool // for the long proofs
}

var keyChanges = map[string]keyChange{
	"revoke":           {args: []string{"revoke", "ID"}},
	"narrow to read":   {long: true, args: []string{"set", "ID", "--scopes", "read"}, read: true},
	"narrow to write":  {long: true, args: []string{"set", "ID", "--scopes", "write"}, write: true},
	"to another agent": {long: true, args: []string{"set", "ID", "--agents", "other"}},
	"expire":           {long: true, args: []string{"set", "ID", "--expires", "1ms"}},
	"rotate at once":   {args: []string{"rotate", "ID", "--overlap", "0s", "--json"}},
	"rotate":           {long: true, args: []string{"rotate", "ID", "--json"}, read: true, write: true},
}

// A change of a key holds in all servers a second after its acknowledgement, for calls in
// sessions that were begun before, and for calls whose head had arrived before.
func TestRevokedKeyFailsWithinASecond(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	_, keeper := newKey(t, db, "local", both, "keeper")
	flags := []string{"--db", db, "--debug", "--trusted-proxy", "127.0.0.0/8"}
	servers := []*running{serve(t, flags...), serve(t, flags...)}
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	var mu sync.Mutex // guards secrets
	secrets := []string{keeper}
	steady := &use{url: servers[0].url, key: keeper, tool: "append_log", args: writeArgs, from: "192.0.2.1"}
	steady.begin(t)
	work.Go(func() { steady.keepCalling(ctx) })
	t.Run("changes", func(t *testing.T) {
		for name, change := range keyChanges {
			if change.long && !testkit.Long() {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				used := change.check(t, db, servers)
				mu.Lock()
				defer mu.Unlock()
				secrets = append(secrets, used...)
			})
		}
	})
	over := time.Now()
	steady.wait(20, over)
	if n, last, bad := steady.seen(); n < 20 || !last.After(over) || bad != "" {
		t.Errorf("the calls with another key: %d succeed, the last of %v ago, %s", n, time.Since(last), bad)
	}
	stop()
	work.Wait()
	for _, r := range servers {
		r.stop(t)
		for _, s := range secrets {
			if log := r.log.String(); strings.Contains(log, s[12:55]) || strings.Contains(log, "Bearer") {
				t.Error("the log has a secret")
			}
		}
	}
}

// check makes a change of a key that both servers get calls with. It returns all keys.
func (c keyChange) check(t *testing.T, db string, servers []*running) (secrets []string) {
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	id, key := newKey(t, db, "local", both, "a", "b")
	secrets = []string{key}
	var uses []*use
	finish := map[*use]func() string{}
	for _, r := range servers {
		for i, u := range []*use{{tool: "list_files", args: `"agent_id":"a"`}, {tool: "append_log", args: `"agent_id":"a",` + writeArgs}} {
			u.url, u.key, u.from = r.url, key, fmt.Sprintf("10.%d.%d.%d", id[5], id[6], 2*id[7]%250+byte(i))
			u.begin(t)
			uses = append(uses, u)
			work.Go(func() { u.keepCalling(ctx) })
		}
	}
	for _, u := range uses {
		u.wait(1, time.Time{})
	}
	for _, u := range uses { // a server waits for a body for 10 s
		finish[u] = u.slow(t)
	}
	args := strings.Split(strings.Replace(strings.Join(c.args, "\n"), "ID", id, 1), "\n")
	out, acknowledged := runKeys(t, db, args...)
	if c.args[0] == "rotate" {
		secrets = append(secrets, theKey(t, out))
	}
	time.Sleep(1500 * time.Millisecond)
	late := map[*use]string{}
	for _, u := range uses {
		late[u] = finish[u]()
	}
	for _, u := range uses {
		allowed := u.tool == "list_files" && c.read || u.tool == "append_log" && c.write
		if allowed {
			u.wait(1, acknowledged.Add(time.Second))
		}
		n, last, bad := u.seen()
		if after := last.Sub(acknowledged); n == 0 || bad != "" || (after > time.Second) != allowed {
			t.Errorf("%s: %d calls succeed, the last %v after the change; it is allowed: %v %s", u.tool, n, after, allowed, bad)
		}
		text := late[u]
		if ok := strings.Contains(text, `"result"`) && !strings.Contains(text, `"isError":true`); ok != allowed {
			t.Errorf("%s whose body came after the change is answered with %.300s; it is allowed: %v", u.tool, text, allowed)
		}
		if len(secrets) > 1 { // a rotated key: its sessions go on with the new secret
			again := &use{url: u.url, key: secrets[1], session: u.session, tool: u.tool, args: u.args, from: "192.0.2.2"}
			if ok, status, text := again.once(t.Context()); !ok {
				t.Errorf("%s with the new secret: %d %.300s", u.tool, status, text)
			}
		}
	}
	return secrets
}
