package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// openTerminal returns the two ends of a new terminal: what its user has, and what programs
// have.
func openTerminal(t *testing.T) (user, programs *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	testkit.Must(t, err)
	t.Cleanup(func() { user.Close() })
	testkit.Must(t, unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	testkit.Must(t, err)
	programs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	testkit.Must(t, err)
	t.Cleanup(func() { programs.Close() })
	return user, programs
}

// serveOn starts scratchpad serve with the given standard input and standard error, and waits
// until the screen shows how it ends.
func serveOn(t *testing.T, in, errors *os.File, screen io.Reader, args ...string) *running {
	t.Helper()
	r := startOn(t, in, errors, args...)
	testkit.Must(t, r.watch(screen))
	return r
}

func startOn(t *testing.T, in, errors *os.File, args ...string) *running {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = environ()
	cmd.Stdin, cmd.Stderr = in, errors
	testkit.Must(t, cmd.Start())
	r := &running{cmd: cmd, done: make(chan error, 1), log: new(syncBuffer)}
	go func() { r.done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill(); <-r.done })
	return r
}

func (r *running) watch(screen io.Reader) error {
	lines := bufio.NewScanner(screen)
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		r.said = append(r.said, line)
		if url, ok := strings.CutPrefix(line, "serving "); ok {
			r.url = strings.TrimSuffix(url, "/mcp")
		}
		if strings.HasSuffix(line, "stops the server") {
			return nil
		}
	}
	return fmt.Errorf("the server ended: %q, %w", r.said, lines.Err())
}

var keyForm = regexp.MustCompile(`sp_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}`)

// keys returns the keys that a server has shown.
func (r *running) keys() []string { return keyForm.FindAllString(strings.Join(r.said, "\n"), -1) }

// The first start on a terminal shows a key, once. The key opens the memory of the agent
// default. The next start shows none.
func TestServeFirstKey(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	user, programs := openTerminal(t)
	r := serveOn(t, programs, programs, user, "--db", db)
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
	user, programs = openTerminal(t)
	r = serveOn(t, programs, programs, user, "--db", db)
	if keys := r.keys(); len(keys) > 0 || !strings.Contains(strings.Join(r.said, "\n"), "callers with a key") {
		t.Errorf("the second start says %q, want no key", r.said)
	}
	r.stop(t)
}

// Without somebody who reads and types, no key is made: a log must not have one. Nor is
// one with --no-auth.
func TestServeNoFirstKey(t *testing.T) {
	null, err := os.Open(os.DevNull)
	testkit.Must(t, err)
	defer null.Close()
	user, programs := openTerminal(t)
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

// Every key that is shown works, also if several servers start at the same time.
func TestServeFirstKeysAtOnce(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	var all [3]*running
	var starts sync.WaitGroup
	for i := range all {
		user, programs := openTerminal(t)
		all[i] = startOn(t, programs, programs, "--db", db)
		starts.Go(func() {
			if err := all[i].watch(user); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	shown := 0
	for _, r := range all {
		for _, key := range r.keys() {
			shown++
			for _, at := range all {
				s, err := at.client(t.Context(), key)
				if err != nil {
					t.Errorf("a key that was shown is refused: %v", err)
					continue
				}
				s.Close()
			}
		}
	}
	if shown == 0 {
		t.Error("no server shows a key")
	}
	for _, r := range all {
		r.stop(t)
	}
}
