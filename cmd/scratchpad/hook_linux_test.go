package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A session waits for its hook for a second at most, whatever keeps the hook. The hook succeeds, and
// prints all or nothing. Its mark moves only if somebody can have read it.
func TestHookIsBounded(t *testing.T) {
	if hookTime >= time.Second {
		t.Errorf("a hook takes %v", hookTime)
	}
	dir, path := newDatabase(t)
	event := `{"hook_event_name":"SessionStart","cwd":"/"}`
	hook := func(in io.Reader, out, said string) {
		t.Helper()
		wantHook(t, dir, in, out, said)
	}
	open := func(event string) io.Reader { // a client that does not close its end
		in, writer, err := os.Pipe()
		testkit.Must(t, err)
		t.Cleanup(func() { writer.Close() })
		testkit.Must(t, testkit.Err(writer.WriteString(event)))
		return in
	}
	hook(open(""), "", "no event came on standard input")
	hook(strings.NewReader(`{"hook_event_name":"SessionStart","cwd":"`+strings.Repeat("x", 2<<20)+`"}`), "", "no event of at most 1048576 bytes")
	hook(open(event), "Newest:", "")
	hook(strings.NewReader(event), "Nothing has changed", "")

	testkit.Must(t, os.Mkdir(filepath.Join(dir, ".cursor"), 0o700))
	fifo := filepath.Join(dir, ".cursor", "mcp.json")
	testkit.Must(t, syscall.Mkfifo(fifo, 0o600))
	cmd := exec.Command(os.Args[0], "hook", "--db", path)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environ("HOME="+dir), strings.NewReader(`{"hook_event_name":"sessionStart","workspace_roots":["/"]}`)
	if got, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(got), "not a regular file") {
		t.Errorf("with a pipe as the file of Cursor: %s, %v", got, err)
	}

	runCommand(t, dir, nil, "files", "write", "new.md", "--agent", "alice", "--db", path).must(t, 0)
	nobody := exec.Command("sh", "-c", `exec "$0" hook --agent alice --db "$1" >/dev/null`, os.Args[0], path)
	nobody.Dir, nobody.Env, nobody.Stdin = dir, environ(), strings.NewReader(event)
	if said, err := nobody.CombinedOutput(); err != nil || !strings.Contains(string(said), "nobody reads the output") {
		t.Errorf("into nothing: %s, %v", said, err)
	}
	wantHookThatEnds(t, path, event)
	t.Run("while another process writes", func(t *testing.T) {
		holdTurn(t, path)
		hook(strings.NewReader(event), "create new.md", "the mark claude-code stays where it was")
	})
	hook(strings.NewReader(event), "create new.md", "")
	hook(strings.NewReader(event), "Nothing has changed", "")

	db, err := sql.Open("sqlite", path)
	testkit.Must(t, err)
	defer db.Close()
	conn, err := db.Conn(context.Background())
	testkit.Must(t, err)
	defer conn.Close()
	for _, statement := range []string{"PRAGMA locking_mode=EXCLUSIVE", "BEGIN IMMEDIATE", "CREATE TABLE more (x)"} {
		testkit.Must(t, testkit.Err(conn.ExecContext(t.Context(), statement)))
	}
	hook(strings.NewReader(event), "", "the session begins without its memory")
}

// wantHookThatEnds runs a hook whose output is a full pipe that nobody reads.
func wantHookThatEnds(t *testing.T, path, event string) {
	t.Helper()
	full, writer, err := os.Pipe()
	testkit.Must(t, err)
	defer full.Close()
	testkit.Must(t, writer.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	writer.Write(make([]byte, 1<<20))
	unread := exec.Command(os.Args[0], "hook", "--agent", "alice", "--db", path)
	unread.Dir, unread.Env, unread.Stdin, unread.Stdout = filepath.Dir(path), environ(), strings.NewReader(event), writer
	ended := make(chan error, 1)
	go func() { ended <- unread.Run() }()
	select {
	case err := <-ended:
		testkit.Must(t, err)
	case <-time.After(hookPatience):
		full.Close()
		t.Errorf("into a full pipe: %v after %v", <-ended, hookPatience)
	}
}

// hookPatience is for the start of a process on a busy machine, too. SQLite alone would wait longer.
const hookPatience = 10 * time.Second

// wantHook runs a hook in a folder, which has a database. Where the machine is so busy that the
// hook has no time for its work, it runs again.
func wantHook(t *testing.T, dir string, in io.Reader, out, said string) {
	t.Helper()
	for try := 1; ; try++ {
		var errs strings.Builder
		cmd := exec.Command(os.Args[0], "hook", "--agent", "alice", "--db", filepath.Join(dir, "test.db"))
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, without("CLAUDE_")(environ("HOME="+dir)), in, &errs
		began := time.Now()
		got, err := cmd.Output()
		took := time.Since(began)
		event, isText := in.(*strings.Reader)
		if try < 5 && isText && said == "" && strings.Contains(errs.String(), "it took longer than") {
			testkit.Must(t, testkit.Err(event.Seek(0, io.SeekStart)))
			continue
		}
		if err != nil || took > hookPatience || !strings.Contains(string(got), out) || out == "" && len(got) > 0 || errs.Len() > 1000 || !strings.Contains(errs.String(), said) {
			t.Errorf("the hook took %v, and said %s and %q, %v, want %q and %q", took, got, &errs, err, out, said)
		}
		if err := json.Unmarshal(got, new(map[string]any)); len(got) > 0 && err != nil {
			t.Errorf("%s: %v", got, err)
		}
		return
	}
}
