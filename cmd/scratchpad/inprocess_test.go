package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // for database/sql

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// outcome is what a run of the command leaves.
type outcome struct {
	out, err string
	code     int
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

// surroundings guards the variables and the folder of this process. A command that runs in
// this process changes them for its time.
var surroundings sync.Mutex

const nobodyVariable = "SCRATCHPAD_TEST_NOBODY" // the command runs without the rights of root

// environ returns the variables of this process, and more of them for a child that is the
// command.
func environ(variables ...string) []string {
	surroundings.Lock()
	defer surroundings.Unlock()
	return append(append(os.Environ(), runVariable+"=1", noRaceWait), variables...)
}

// ownProcess are the commands that have a process of their own: they serve until a signal,
// or look at their own process, or leave it.
var ownProcess = []string{"mcp", "serve", "console", "demo", "help", "--help", "-h"}

// runCommand runs scratchpad in a folder, with variables on top of an environment that has
// none of its own. Most commands run in this process, because a start takes long.
func runCommand(t *testing.T, dir string, variables []string, args ...string) outcome {
	t.Helper()
	nobody := slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, nobodyVariable) })
	asks := func(arg string) bool { return slices.Contains(ownProcess, arg) }
	if !nobody && !slices.ContainsFunc(args, asks) && len(args) > 0 {
		return runHere(dir, without("SCRATCHPAD_"), variables, "", args)
	}
	env := append(append(without("SCRATCHPAD_")(environ()), runVariable+"=1"), variables...)
	return runProgram(t, os.Args[0], dir, env, args...)
}

// runProgram runs a program in a process of its own.
func runProgram(t *testing.T, program, dir string, env []string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// eventually waits until something is so, and fails with the text after waitPatience.
func eventually(t *testing.T, text string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > waitPatience {
			t.Fatal(text)
		}
	}
}

// without returns a filter of variables.
func without(prefix string) func([]string) []string {
	return func(variables []string) []string {
		return slices.DeleteFunc(variables, func(v string) bool { return strings.HasPrefix(v, prefix) })
	}
}

// runHere runs the command in this process.
func runHere(dir string, filter func([]string) []string, variables []string, in string, args []string) outcome {
	surroundings.Lock()
	defer surroundings.Unlock()
	before := os.Environ()
	folder, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		panic(err)
	}
	set := func(all []string) {
		wanted := map[string]bool{"SCRATCHPAD_TEST": true, "TMPDIR": true} // tests beside this one look at them
		for _, v := range all {
			name, value, _ := strings.Cut(v, "=")
			wanted[name] = true
			os.Setenv(name, value)
		}
		for _, v := range os.Environ() {
			if name, _, _ := strings.Cut(v, "="); !wanted[name] {
				os.Unsetenv(name)
			}
		}
	}
	defer func() {
		set(before)
		if err := os.Chdir(folder); err != nil {
			panic(err)
		}
	}()
	set(append(append(filter(slices.Clone(before)), "PWD="+dir), variables...))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out, errs bytes.Buffer
	code := run(ctx, args, streams{io.NopCloser(strings.NewReader(in)), toBuffer{&out}, &errs})
	return outcome{out.String(), errs.String(), code}
}

// toBuffer is a buffer that can be closed.
type toBuffer struct{ *bytes.Buffer }

// Close implements [io.Closer].
func (toBuffer) Close() error { return nil }

// scriptVariables are those that scripts set.
var scriptVariables = []string{
	"HOME", "XDG_DATA_HOME", "PATH", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "SCRATCHPAD_DB", "SCRATCHPAD_AGENT",
	"SCRATCHPAD_TENANT", "SCRATCHPAD_MAX_AGENTS", "SCRATCHPAD_PATHS", "SCRATCHPAD_SUMMARIZER",
	"SCRATCHPAD_SUMMARY_BASE_URL", "SCRATCHPAD_SUMMARY_MODEL", "SCRATCHPAD_SUMMARY_WINDOW",
}

// run [<FILE] ARGS runs the command in the process of the tests, with a file as its standard
// input. It must succeed.
func scriptRun(ts *testscript.TestScript, neg bool, args []string) {
	if code := scriptHere(ts, args); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

func scriptHere(ts *testscript.TestScript, args []string) (code int) {
	in := ""
	if file, ok := strings.CutPrefix(args[0], "<"); ok {
		in, args = ts.ReadFile(file), args[1:]
	}
	var variables []string
	for _, name := range scriptVariables {
		if value := ts.Getenv(name); value != "" {
			variables = append(variables, name+"="+value)
		}
	}
	o := runHere(ts.MkAbs("."), func([]string) []string { return nil }, variables, in, args)
	io.WriteString(ts.Stdout(), o.out)
	io.WriteString(ts.Stderr(), o.err)
	return o.code
}

// noRaceWait keeps a process under the race detector from waiting a second at its end.
const noRaceWait = "GORACE=atexit_sleep_ms=0"

// newDatabase makes a database test.db with two agents in a new folder.
func newDatabase(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "test.db")
	makeDatabase(t, path)
	return dir, path
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
			testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte("a text that can be found again"), workspace.WriteOptions{})))
		}
		testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "decisions", []byte("one"), []byte("two"))))
	}
}

// lock keeps a database from all others until it is closed.
func lock(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	testkit.Must(t, err)
	db.SetMaxOpenConns(1)
	testkit.Must(t, testkit.Err(db.ExecContext(t.Context(), "BEGIN EXCLUSIVE")))
	return db
}

// contents are the names below a folder with their modes, where they lead to, and their SHA-256, but
// for what SQLite makes when it reads: an empty log and its index.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	testkit.Must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := d.Info()
		if err != nil || strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, "-wal") && info.Size() == 0 {
			return err
		}
		all[name] = info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			all[name] += " " + to
			return err
		case info.Mode().IsRegular():
			b, err := os.ReadFile(name)
			all[name] += fmt.Sprintf(" %x", sha256.Sum256(b))
			return err
		}
		return nil
	}))
	return all
}

// unchanged returns a check that a folder is as it was.
func unchanged(t *testing.T, dir string) (check func()) {
	t.Helper()
	before := contents(t, dir)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Errorf("the folder has changed (-before +after):\n%s", diff)
		}
	}
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
