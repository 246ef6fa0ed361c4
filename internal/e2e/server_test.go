package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A target is a server that one client talks to, over stdio or over HTTP.
type target struct {
	command []string // stdio: starts the binary, with a witness before it
	url     string   // HTTP
	key     string   // HTTP: "" if the server wants none

	dir  string    // stdio: the folder that the witness writes to
	http *recorder // HTTP: the witness
}

// overStdio returns the real binary on a new database.
func overStdio(t *testing.T) *target {
	t.Helper()
	self, err := os.Executable()
	testkit.Must(t, err)
	dir := t.TempDir()
	return &target{
		dir:     dir,
		command: []string{self, recordArgument, dir, scratchpadPath, "mcp", "--db", filepath.Join(dir, "test.db"), "--summarizer", "outline"},
	}
}

// overHTTP starts the real binary on loopback, on a new database, with a witness before it.
func overHTTP(t *testing.T) *target {
	t.Helper()
	at, err := url.Parse(process.Serve(t, scratchpadPath, "--db", filepath.Join(t.TempDir(), "test.db"),
		"--no-auth", "--rate", "0", "--rate-agent", "0", "--summarizer", "outline", "--max-read-tokens", "0"))
	testkit.Must(t, err)
	witness := &recorder{next: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: at.Scheme, Host: at.Host}) }}}
	server := httptest.NewServer(witness)
	t.Cleanup(server.Close)
	return &target{url: server.URL + "/mcp", http: witness}
}

// check checks what passed between the client and the server, after the client has
// closed: that they spoke this version of the protocol only, and that each process ended
// with exit code 0.
func (g *target) check(t *testing.T, version string) {
	t.Helper()
	var messages []message
	if g.http != nil {
		messages = g.http.seen()
		for _, m := range messages {
			if sessions := version < stateless; sessions != (m.session != "") {
				t.Errorf("session %q in version %s: %.100q", m.session, version, m.text)
				break
			}
		}
	} else {
		var exits []exit
		messages, exits = processes(t, g.dir)
		for _, e := range exits {
			if e != (exit{}) {
				t.Errorf("the server ended with %+v, want exit code 0 at the end of its input", e)
			}
		}
	}
	if got := spoken(t, messages); len(got) != 1 || got[0] != version {
		t.Errorf("tools were called in versions %q of the protocol, want %q alone", got, version)
	}
}

// record runs a server for a client and records what they say to each other. It writes
// three files to dir, named after its process: one for each direction, and at the end one
// that says how the server ended.
func record(dir string, command []string) int {
	name := filepath.Join(dir, fmt.Sprint(os.Getpid()))
	exit, err := recordTo(name, command)
	if err != nil {
		exit.Error, exit.Code = err.Error(), 1
	}
	text, err := json.Marshal(exit)
	if err == nil {
		err = os.WriteFile(name+".part", text, 0o600)
	}
	if err = errors.Join(err, os.Rename(name+".part", name+".exit")); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		return 1
	}
	return exit.Code
}

// An exit says how a server's process ended.
type exit struct {
	Code     int    // of the process
	Signaled bool   // the client sent SIGTERM
	Error    string // of the recording
}

func recordTo(name string, command []string) (exit, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	in, err := os.Create(name + ".in")
	if err != nil {
		return exit{}, err
	}
	defer in.Close()
	out, err := os.Create(name + ".out")
	if err != nil {
		return exit{}, err
	}
	defer out.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	cmd.Stdout = io.MultiWriter(out, os.Stdout)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return exit{}, err
	}
	if err := cmd.Start(); err != nil {
		return exit{}, err
	}
	go func() {
		_, _ = io.Copy(io.MultiWriter(in, stdin), os.Stdin) // the server may end first
		stdin.Close()
	}()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var signaled bool
	for {
		select {
		case <-signals:
			signaled = true
			_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		case err := <-done:
			var failed *exec.ExitError
			if err != nil && !errors.As(err, &failed) {
				return exit{}, err
			}
			return exit{Code: cmd.ProcessState.ExitCode(), Signaled: signaled}, nil
		}
	}
}

// A message is a JSON-RPC message between a client and a server.
type message struct {
	session string // the server's process, or the HTTP session's id
	header  string // Mcp-Protocol-Version of the HTTP request
	sent    bool   // by the client
	text    []byte
}

// An envelope has the fields of a message that the tests check.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version    string          `json:"protocolVersion"` // of initialize
		Contents   json.RawMessage `json:"contents"`        // of resources/read
		CacheScope string          `json:"cacheScope"`
	} `json:"result"`
	Error json.RawMessage `json:"error"`
}

// spoken returns the versions of the protocol in which tools were called. More than one
// is a mistake. A stateless call names its version in _meta. Any other call has the
// version that the server answered to the session's initialize.
func spoken(t *testing.T, messages []message) []string {
	t.Helper()
	agreed := map[string]string{}
	versions := map[string]bool{}
	for _, m := range messages {
		var e envelope
		if err := json.Unmarshal(m.text, &e); err != nil {
			t.Fatalf("between client and server: %v in %.200q", err, m.text)
		}
		if e.JSONRPC != "2.0" {
			t.Errorf("between client and server: %.200q is not JSON-RPC", m.text)
		}
		if e.Result.Contents != nil && e.Result.CacheScope != "private" {
			t.Errorf("an agent's file is answered with cacheScope %q, want private", e.Result.CacheScope)
		}
		switch {
		case !m.sent && e.Result.Version != "":
			agreed[m.session] = e.Result.Version
		case m.sent && e.Method == "tools/call":
			version := e.Params.Meta.Version
			if version == "" {
				version = agreed[m.session]
			}
			if m.header != "" && m.header != version {
				t.Errorf("a request's Mcp-Protocol-Version is %s, and %s was agreed", m.header, version)
			}
			versions[version] = true
		}
	}
	var all []string
	for v := range versions {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

// processes waits until all processes that were recorded in dir have ended. It returns
// their messages, and how each of them ended.
func processes(t *testing.T, dir string) ([]message, []exit) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.in"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no server process was recorded: %v", err)
	}
	var messages []message
	var exits []exit
	for _, name := range names {
		name = name[:len(name)-len(".in")]
		var e exit
		testkit.Must(t, json.Unmarshal(await(t, name+".exit"), &e))
		asked := linesOf(t, name+".in", name, true)
		if len(asked) == 1 && bytes.Contains(asked[0].text, []byte(`"server/discover"`)) {
			e.Signaled = false // a client that only asks for the versions may stop the server early
		}
		exits = append(exits, e)
		messages = append(messages, linesOf(t, name+".out", name, false)...) // the answers first: they say which version was agreed
		messages = append(messages, asked...)
	}
	return messages, exits
}

// await reads a file that appears when a process has ended.
func await(t *testing.T, name string) []byte {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(name)
		if err == nil {
			return text
		}
		if time.Now().After(deadline) {
			t.Fatalf("a server's process did not end, or was killed: %v", err)
		}
	}
}

// linesOf returns the lines of a file. The last line must end in a newline too.
func linesOf(t *testing.T, file, session string, sent bool) []message {
	t.Helper()
	text, err := os.ReadFile(file)
	testkit.Must(t, err)
	var messages []message
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			t.Errorf("%s ends inside a line: %.200q", filepath.Ext(file), line)
		}
		messages = append(messages, message{session: session, sent: sent, text: line})
	}
	return messages
}

// A recorder keeps the messages of the POST requests to an HTTP handler.
type recorder struct {
	next http.Handler

	mu       sync.Mutex // guards messages
	messages []message
}

// ServeHTTP implements [http.Handler].
func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		r.next.ServeHTTP(w, req)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	answer := &tee{ResponseWriter: w}
	r.next.ServeHTTP(answer, req)
	session := w.Header().Get("Mcp-Session-Id")
	if session == "" {
		session = req.Header.Get("Mcp-Session-Id")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, message{session: session, header: req.Header.Get("Mcp-Protocol-Version"), sent: true, text: body})
	if got := answer.seen.Bytes(); json.Valid(got) { // else it is an event stream
		r.messages = append(r.messages, message{session: session, text: got})
	}
}

func (r *recorder) seen() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.messages)
}

// A tee keeps a copy of what is written.
type tee struct {
	http.ResponseWriter
	seen bytes.Buffer
}

// Write implements [io.Writer].
func (t *tee) Write(p []byte) (int, error) {
	t.seen.Write(p)
	return t.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Flush implements [http.Flusher].
func (t *tee) Flush() {
	_ = http.NewResponseController(t.ResponseWriter).Flush() // the client may have gone
}
