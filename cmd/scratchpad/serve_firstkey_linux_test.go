package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// serveOn starts scratchpad serve with the given standard input and standard error, and waits
// until the screen shows how it ends.
func serveOn(t *testing.T, in, errors *os.File, screen io.Reader, args ...string) *running {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = environ()
	cmd.Stdin, cmd.Stderr = in, errors
	testkit.Must(t, cmd.Start())
	r := &running{cmd: cmd, done: make(chan error, 1), log: new(syncBuffer)}
	go func() { r.done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill(); <-r.done })
	lines := bufio.NewScanner(screen)
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		r.said = append(r.said, line)
		if url, ok := strings.CutPrefix(line, "serving "); ok {
			r.url = strings.TrimSuffix(url, "/mcp")
		}
		if strings.HasSuffix(line, "stops the server") {
			return r
		}
	}
	t.Fatalf("the server ended: %q, %v", r.said, lines.Err())
	return nil
}

var keyForm = regexp.MustCompile(`sp_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}`)

// keys returns the keys that a server has shown.
func (r *running) keys() []string { return keyForm.FindAllString(strings.Join(r.said, "\n"), -1) }

// The first start on a terminal shows a key, once. The key opens the memory of the agent
// default. The next start shows none.
func TestServeFirstKey(t *testing.T) {
	testkit.SkipInShort(t)
	db := filepath.Join(t.TempDir(), "team.db")
	screen := newScreen(t)
	r := serveOn(t, screen.slave, screen.slave, screen.master, "--db", db)
	keys := r.keys()
	if len(keys) != 1 {
		t.Fatalf("the first start on a terminal shows %d keys: %q", len(keys), r.said)
	}
	s, err := r.client(t.Context(), keys[0])
	testkit.Must(t, err)
	if text, isError := call(t, s, "append_log", map[string]any{"path": "l", "entry": "the first"}); isError {
		t.Errorf("a call with the first key = %s", text)
	}
	if text, isError := call(t, s, "read_log", map[string]any{"path": "l"}); isError || !strings.Contains(strings.Join(text, "\n"), "the first") {
		t.Errorf("a read with the first key = %s", text)
	}
	if status, body := r.get(t, "/mcp", ""); status != http.StatusUnauthorized {
		t.Errorf("without the key: %d %s, want 401", status, body)
	}
	runCommand(t, t.TempDir(), nil, "logs", "cat", "l", "--agent", "default", "--db", db).must(t, 0, "the first")
	line := regexp.MustCompile(`clients +scratchpad (.*)`).FindStringSubmatch(strings.Join(r.said, "\n"))
	if line == nil {
		t.Fatalf("the server shows no line for clients: %q", r.said)
	}
	runCommand(t, t.TempDir(), []string{"SCRATCHPAD_API_KEY=" + keys[0]}, strings.Fields(line[1])...).must(t, 0, r.url+"/mcp")
	r.stop(t)
	screen = newScreen(t)
	r = serveOn(t, screen.slave, screen.slave, screen.master, "--db", db)
	if keys := r.keys(); len(keys) > 0 || !strings.Contains(strings.Join(r.said, "\n"), "callers with a key") {
		t.Errorf("the second start says %q, want no key", r.said)
	}
	r.stop(t)
}

// Without somebody who reads and types, no key is made: a log must not have one. Nor is
// one with --no-auth.
func TestServeNoFirstKey(t *testing.T) {
	testkit.SkipInShort(t)
	null, err := os.Open(os.DevNull)
	testkit.Must(t, err)
	defer null.Close()
	screen := newScreen(t)
	user, programs := screen.master, screen.slave
	log, errors, err := os.Pipe()
	testkit.Must(t, err)
	defer log.Close()
	defer errors.Close()
	db := filepath.Join(t.TempDir(), "team.db")
	for name, r := range map[string]*running{
		"standard input is no terminal": serveOn(t, null, programs, user, "--db", db),
		"standard error is no terminal": serveOn(t, programs, errors, log, "--db", db),
		"with --no-auth":                serveOn(t, programs, programs, user, "--db", db, "--no-auth"),
	} {
		if keys := r.keys(); len(keys) > 0 {
			t.Errorf("%s: the server shows %q", name, keys)
		}
		r.stop(t)
	}
	runCommand(t, t.TempDir(), nil, "keys", "ls", "--db", db).must(t, 0, "no keys")
}
