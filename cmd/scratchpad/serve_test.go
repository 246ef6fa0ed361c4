package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A running is a scratchpad serve in a process of its own.
type running struct {
	cmd  *exec.Cmd
	url  string // without a path
	said []string
	log  *testkit.Buffer // all of standard error
	done chan error
}

// serve starts scratchpad serve on a free port and waits until it says where it listens.
func serve(t *testing.T, args ...string) *running {
	t.Helper()
	r, err := startServer(args...)
	testkit.Must(t, err)
	t.Cleanup(func() {
		r.cmd.Process.Kill()
		<-r.done
		if t.Failed() {
			t.Logf("the log of the server:\n%s", r.log)
		}
	})
	return r
}

func startServer(args ...string) (*running, error) {
	if !strings.Contains(strings.Join(args, " "), "--addr") {
		args = append(args, "--addr", "127.0.0.1:0")
	}
	cmd := exec.Command(os.Args[0], append([]string{"serve"}, args...)...)
	cmd.Env = environ()
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &running{cmd: cmd, log: new(testkit.Buffer), done: make(chan error, 1)}
	r.listen(io.TeeReader(out, r.log))
	go func() {
		io.Copy(r.log, out)
		r.done <- cmd.Wait()
	}()
	if r.url == "" {
		return nil, fmt.Errorf("the server ended: %v: %q", <-r.done, r.said)
	}
	return r, nil
}

// listen reads what the server says, up to how it ends.
func (r *running) listen(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		line := strings.TrimSuffix(lines.Text(), "\r")
		r.said = append(r.said, line)
		if url, ok := strings.CutPrefix(line, "serving "); ok {
			r.url = strings.TrimSuffix(url, "/mcp")
		}
		if strings.HasSuffix(line, "stops the server") {
			return
		}
	}
}

// stop sends SIGTERM and waits for a clean end.
func (r *running) stop(t *testing.T) {
	t.Helper()
	testkit.Must(t, r.cmd.Process.Signal(syscall.SIGTERM))
	err := <-r.done
	r.done <- err
	if err != nil {
		t.Errorf("the server ended with %v, want a clean exit", err)
	}
}

func (r *running) get(t *testing.T, path, key string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", r.url+path, nil)
	testkit.Must(t, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	body = read(t, res, err)
	return res.StatusCode, body
}

// client connects a real MCP client with a key; "": without one.
func (r *running) client(t *testing.T, key string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "team-client", Version: "3"}, nil)
	web := &http.Client{Transport: withKey{key}}
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url + "/mcp", HTTPClient: web, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	testkit.Must(t, err)
	return s
}

type withKey struct{ key string }

// RoundTrip implements [http.RoundTripper].
func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A server without a key serves nobody, on this machine too, and says how to make one. A
// caller reaches the agents of its key and no other.
func TestNobodyIsServedWithoutAKey(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	r := serve(t, "--db", db)
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, body := r.get(t, path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{"/mcp", "/v1/memory_stores", "/metrics"} {
		if status, body := r.get(t, path, ""); status != http.StatusUnauthorized || !strings.Contains(body, "scratchpad keys create") {
			t.Errorf("%s while there is no key: %d %s, want 401 and how to make one", path, status, body)
		}
	}
	if said := strings.Join(r.said, "\n"); !strings.Contains(said, "nobody yet; make a key: scratchpad keys create") || strings.Contains(said, "sp_") {
		t.Errorf("the server says %s", said)
	}
	both := auth.Read | auth.Write
	id, alice := newKey(t, db, "local", both, "alice")
	_, team := newKey(t, db, "local", auth.Read, "a*", "b")
	_, stranger := newKey(t, db, "strangers", both, "alice")
	for _, c := range []struct {
		key, tool string
		args      map[string]any
		want      string // in the answer; "!" before: it is an error
	}{
		{alice, "append_log", object{"path": "l", "entry": "from alice"}, `"entry_id":1`},
		{alice, "read_log", object{"agent_id": "bob", "path": "l"}, "!leave it out"},
		{team, "read_log", object{"agent_id": "alice", "path": "l"}, "from alice"},
		{team, "append_log", object{"agent_id": "alice", "path": "l", "entry": "x"}, "!may not write"},
		{team, "read_log", object{"agent_id": "carol", "path": "l"}, "!not among"},
		{stranger, "read_log", object{"path": "l"}, `"count":0`},
	} {
		s := r.client(t, c.key)
		wantCall(t, s, c.tool, c.args, c.want)
		s.Close()
	}
	// What was written with a key names it and the client.
	runCommand(t, ".", nil, "logs", "cat", "l", "--agent", "alice", "--json", "--db", db).must(t, 0, `{"client":"team-client","version":"3","key":"`+id+`"}`)
	r.stop(t)
}

// A key that may only write learns nothing of what is there.
func TestServeWriteOnly(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	_, both := newKey(t, db, "local", auth.Read|auth.Write, "a")
	_, write := newKey(t, db, "local", auth.Write, "a")
	r := serve(t, "--db", db)
	owner := r.client(t, both)
	for _, path := range []string{"f.md", "canary.md"} {
		call(t, owner, "write_file", object{"path": path, "content": "the canary sings\n"})
		call(t, owner, "append_log", object{"path": path, "entry": "canary"})
	}
	s := r.client(t, write)
	for tool, args := range map[string]object{
		"edit_file": {"path": "f.md", "old_text": "the canari sings", "new_text": "x"}, "move_file": {"path": "canari.md", "new_path": "y.md"},
		"delete_file": {"path": "canari.md"}, "delete_log": {"path": "canari.md"}, "read_file": {"path": "f.md"},
		"read_log": {"path": "f.md", "tail": 1}, "summarize_file": {"path": "f.md"}, "search": {"query": "canary"},
		"changes": {}, "list_files": {}, "list_logs": {},
	} {
		if blocks, _ := call(t, s, tool, args); strings.Contains(strings.Join(blocks, "\n"), "canary") {
			t.Errorf("%s with a key that may only write = %q", tool, blocks)
		}
	}
	wantCall(t, s, "append_log", object{"path": "l", "entry": "x"}, "")
	r.stop(t)
}

// Beyond loopback nobody is served without a key, and --no-auth is refused. Without TLS a
// server warns there once.
func TestServeBeyondLoopback(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	for args, want := range map[string]string{
		"--db " + db + " --addr 0.0.0.0:0 --no-auth": "--no-auth is for loopback addresses",
		"--db mem: --addr 127.0.0.1:0":               "name a file with --db", // which can have no key
	} {
		if _, err := startServer(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("serve %s: %v, want %s", args, err, want)
		}
	}
	r := serve(t, "--db", db, "--addr", "0.0.0.0:0")
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.url, "http://"))
	testkit.Must(t, err)
	r.url = "http://127.0.0.1:" + port
	_, key := newKey(t, db, "local", auth.Read|auth.Write, "a")
	s := r.client(t, key)
	wantCall(t, s, "append_log", object{"path": "l", "entry": "x"}, "")
	r.stop(t)
	if n := strings.Count(r.log.String(), "in clear text"); n != 1 {
		t.Errorf("the server warns %d times:\n%s", n, r.log)
	}
}

// A server whose log nobody reads starts and serves.
func TestServeWithoutLog(t *testing.T) {
	address := testkit.FreeAddress(t)
	in, out, err := os.Pipe()
	testkit.Must(t, err)
	testkit.Must(t, in.Close())
	cmd := exec.Command(os.Args[0], "serve", "--no-auth", "--db", filepath.Join(t.TempDir(), "team.db"), "--addr", address)
	cmd.Env, cmd.Stderr = environ(), out
	testkit.Must(t, cmd.Start())
	out.Close()
	r := &running{cmd: cmd, url: "http://" + address, done: make(chan error, 1)}
	go func() { r.done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill(); <-r.done })
	eventually(t, "the server does not start", func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	})
	s := r.client(t, "")
	wantCall(t, s, "append_log", object{"agent_id": "a", "path": "l", "entry": "x"}, "")
	r.stop(t)
}

// The metrics are for keys with their scope, and for everybody on an address of their own.
func TestServeMetrics(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	address := testkit.FreeAddress(t)
	_, metrics := newKey(t, db, "local", auth.Metrics, "*")
	_, both := newKey(t, db, "local", auth.Read|auth.Write, "a")
	r := serve(t, "--db", db, "--metrics-addr", address, "--host", "pad.example")
	s := r.client(t, both)
	call(t, s, "append_log", object{"path": "l", "entry": "x"})
	own := *r
	own.url = "http://" + address
	for _, c := range []struct {
		of     *running
		key    string
		status int
	}{{r, metrics, 200}, {r, both, 403}, {r, "", 401}, {&own, "", 200}} {
		status, body := c.of.get(t, "/metrics", c.key)
		has := strings.Contains(body, `tool="append_log"`) && strings.Contains(body, "scratchpad_store_writes_total")
		if status != c.status || has != (status == 200) {
			t.Errorf("/metrics of %s with a key %v: %d %.300s, want %d", c.of.url, c.key != "", status, body, c.status)
		}
	}
	for host, want := range map[string]int{"LOCALHOST.": 200, "10.1.2.3:9090": 200, "pad.example": 200, "evil.example:9090": 403} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", own.url+"/metrics", nil)
		testkit.Must(t, err)
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		read(t, res, err) // to its end, because the server takes two scrapes at once
		if res.StatusCode != want {
			t.Errorf("/metrics for the name %s: %d, want %d", host, res.StatusCode, want)
		}
	}
	r.stop(t)
}

// A second server on the database says so and works. A second one on the port does not
// start, and says why.
func TestServeTwice(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	first := serve(t, "--db", db)
	second := serve(t, "--db", db)
	second.stop(t)
	if !strings.Contains(second.log.String(), "another scratchpad serve") {
		t.Errorf("the second server says %s", second.log)
	}
	_, err := startServer("--db", db, "--addr", strings.TrimPrefix(first.url, "http://"))
	if err == nil || !strings.Contains(err.Error(), "is in use, perhaps by another scratchpad serve") {
		t.Errorf("a server on the same port: %v", err)
	}
	first.stop(t)
}
