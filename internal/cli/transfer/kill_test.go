package transfer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// stepStore calls stop before or after one of its transactions.
type stepStore struct {
	workspace.Store
	steps atomic.Int64
	at    int64 // twice the number of the transaction, from 1 on; 1 more: after it; 0: never
	stop  func()
}

func (s *stepStore) step(fn func() error) error {
	n := s.steps.Add(1)
	if 2*n == s.at {
		s.stop()
	}
	err := fn()
	if 2*n+1 == s.at {
		s.stop()
	}
	return err
}

func (s *stepStore) View(ctx context.Context, o port.Owner, fn func(port.Reader) error) error {
	return s.step(func() error { return s.Store.View(ctx, o, fn) })
}

func (s *stepStore) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	return s.step(func() error { return s.Store.Update(ctx, o, fn) })
}

// fillSome gives an agent a little of everything.
func fillSome(t rapid.TB, ws *workspace.Workspace) {
	for i, content := range []string{"1", "2", "3", ""} {
		for _, path := range []string{"a", "A", "a/b", "con"} {
			write(t, ws.As(workspace.Author{Client: fmt.Sprint("c", i)}), path, path+content)
		}
		appendLog(t, ws, "log", content, "again")
	}
}

// A job is what a process does that is killed.
type job struct {
	DB, Dir string
	Import  bool
	At      int64         // the step, as in stepStore
	After   time.Duration // when the process is killed; 0: not
}

const killVariable = "SCRATCHPAD_TEST_KILL_TRANSFER"

// beKilled is a process that exports or imports until it is killed.
func beKilled(text string) {
	var j job
	err := json.Unmarshal([]byte(text), &j)
	kill := func() {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	ctx := context.Background()
	var store *sqlite.Store
	if err == nil {
		store, err = sqlite.Open(ctx, j.DB, sqlite.Options{})
	}
	if err == nil {
		var svc *workspace.Service
		svc, err = workspace.New(&stepStore{Store: store, at: j.At, stop: kill}, workspace.Options{})
		var ws *workspace.Workspace
		if err == nil {
			ws, err = svc.Look("a")
		}
		if j.After > 0 {
			time.AfterFunc(j.After, kill)
		}
		if err == nil && j.Import {
			_, err = transfer.Import(ctx, ws, j.Dir, transfer.ImportOptions{})
		} else if err == nil {
			_, err = transfer.Export(ctx, ws, j.Dir, transfer.ExportOptions{Versions: true})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs a job in a process. It reports whether the process was killed.
func (j job) run(t *testing.T) (killed bool) {
	t.Helper()
	text, err := json.Marshal(j)
	testkit.Must(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killVariable+"="+string(text), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != 1 {
		return true
	}
	if err != nil {
		t.Fatalf("%+v: %v: %s", j, err, out)
	}
	return false
}

// opened runs fn on an agent of a database.
func opened(t *testing.T, db string, fn func(*workspace.Workspace)) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db, sqlite.Options{})
	testkit.Must(t, err)
	defer store.Close()
	fn(agent(t, store, "a", workspace.Options{}))
	if report, err := store.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || len(report.Problems) > 0 {
		t.Errorf("Verify = %v, %v", report.Problems, err)
	}
}

// jobs are the processes to be killed: at each step, and after some time.
func jobs(template job, yield func(job) (more bool)) {
	step, count := int64(9), 2
	if testkit.Long() {
		step, count = 1, testkit.Pick(0, 8, 60)
	}
	for template.At = 2; yield(template); template.At += step {
	}
	template.At = 0
	for i := range count {
		template.After = time.Duration(i+1) * 40 * time.Millisecond / time.Duration(count)
		yield(template)
	}
}

// An export that is killed never looks whole, and one that looks whole is.
func TestKillExport(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	db := filepath.Join(dir, "test.db")
	var want []string
	opened(t, db, func(ws *workspace.Workspace) { fillSome(t, ws); want = state(t, ws, true) })
	n := 0
	jobs(job{DB: db}, func(j job) bool {
		n++
		j.Dir = filepath.Join(dir, fmt.Sprint(n))
		killed := j.run(t)
		_, err := os.Stat(filepath.Join(j.Dir, "manifest.json"))
		if !killed || err == nil {
			checkWhole(t, j.Dir, want)
			return killed
		}
		checkHalf(t, j.Dir)
		return true
	})
	if n < 5 {
		t.Errorf("only %d processes ran", n)
	}
}

// checkWhole imports an export and compares.
func checkWhole(t *testing.T, dir string, want []string) {
	t.Helper()
	to := memory(t, workspace.Options{})
	importAll(t, to, dir)
	if got := state(t, to, true); !slices.Equal(got, want) {
		t.Errorf("the export has %q, want %q", got, want)
	}
}

// checkHalf looks at what a killed export left: nothing, or what an import refuses.
func checkHalf(t *testing.T, dir string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return
	}
	testkit.Must(t, err)
	to := memory(t, workspace.Options{})
	if _, err := transfer.Import(t.Context(), to, dir, transfer.ImportOptions{}); !isKind(err, workspace.ErrConflict) {
		t.Errorf("import of half an export with %v: %v", names, err)
	}
	if got := state(t, to, true); len(got) > 0 {
		t.Errorf("half an export has brought %q", got)
	}
}

// An import that is killed and run again ends where one does that was not killed.
func TestKillImport(t *testing.T) {
	testkit.SkipInShort(t)
	from := memory(t, workspace.Options{})
	fillSome(t, from)
	want, base := state(t, from, true), t.TempDir()
	dir := filepath.Join(base, "export")
	export(t, from, dir, true)
	n, halves := 0, 0
	jobs(job{Dir: dir, Import: true}, func(j job) bool {
		n++
		j.DB = filepath.Join(base, fmt.Sprint(n, ".db"))
		killed := j.run(t)
		opened(t, j.DB, func(ws *workspace.Workspace) {
			if some := len(state(t, ws, true)); some > 0 && some < len(want) {
				halves++
			}
			importAll(t, ws, dir)
			if got := state(t, ws, true); !slices.Equal(got, want) {
				t.Errorf("%+v: after the second import there are %q, want %q", j, got, want)
			}
		})
		return killed
	})
	if n < 3 || testkit.Long() && halves < 2 {
		t.Errorf("%d processes ran, %d of them were killed in the middle", n, halves)
	}
}
