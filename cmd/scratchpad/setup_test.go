package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	_ "modernc.org/sqlite" // for database/sql
)

// noRaceWait keeps a process under the race detector from waiting a second at its end.
const noRaceWait = "GORACE=atexit_sleep_ms=0"

// outcome is what a run of the command leaves.
type outcome struct {
	out, err string
	code     int
}

// runCommand runs scratchpad in a folder, with variables on top of an
// environment that has none of its own.
func runCommand(t *testing.T, dir string, variables []string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SCRATCHPAD_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, runVariable+"=1", noRaceWait), variables...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// must fails unless the outcome has the exit code and the texts.
func (o outcome) must(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	for _, text := range texts {
		if !strings.Contains(o.out+o.err, text) {
			t.Errorf("it does not say %q", text)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", o.out, o.err)
	}
}

// makeDatabase makes one with two agents.
func makeDatabase(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	writeAgents(t, store)
	testkit.Must(t, store.Close())
}

func writeAgents(t *testing.T, store workspace.Store) {
	t.Helper()
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	for _, name := range []string{"alice", "bob"} {
		ws, err := svc.Agent(name)
		testkit.Must(t, err)
		for _, path := range []string{"plan.md", "docs/a.md", "docs/b.md"} {
			if _, err := ws.WriteFile(t.Context(), path, []byte("a text that can be found again"), workspace.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ws.AppendLog(t.Context(), "decisions", []byte("one"), []byte("two")); err != nil {
			t.Fatal(err)
		}
	}
}

// runSQL changes a database as another program does.
func runSQL(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	testkit.Must(t, err)
	db.SetMaxOpenConns(1)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// lock keeps a database from all others until it is closed.
func lock(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	testkit.Must(t, err)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return db
}

// contents are the files of a folder with their modes and SHA-256, but for what
// SQLite makes when it reads: an empty log and its index.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range entries {
		info, err := os.Lstat(filepath.Join(dir, e.Name()))
		testkit.Must(t, err)
		if strings.HasSuffix(e.Name(), "-shm") || strings.HasSuffix(e.Name(), "-wal") && info.Size() == 0 {
			continue
		}
		all[e.Name()] = info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			testkit.Must(t, err)
			all[e.Name()] += fmt.Sprintf(" %x", sha256.Sum256(b))
		}
	}
	return all
}

// flipContent changes a byte of a stored file. SQLite does not notice that.
func flipContent(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	testkit.Must(t, err)
	at := bytes.LastIndex(b, []byte("found again"))
	if at < 0 {
		t.Fatal("the text is not in the file")
	}
	b[at] ^= 1
	testkit.Must(t, os.WriteFile(path, b, 0o600))
}

// copyOpen copies the files of an open database, as a crash would leave them.
func copyOpen(t *testing.T, path string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source.db")
	store, err := sqlite.Open(t.Context(), source, sqlite.Options{})
	testkit.Must(t, err)
	defer store.Close()
	writeAgents(t, store)
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(source + end)
		if err == nil {
			err = os.WriteFile(path+end, b, 0o600)
		}
		testkit.Must(t, err)
	}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}
