package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// With runVariable set, the test binary is the command.
const runVariable = "SCRATCHPAD_TEST_TORTURE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(runVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// tortureCommand returns the command with arguments, without the database of who runs the tests.
func tortureCommand(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), runVariable+"=1", "SCRATCHPAD_DB=mem:")
	return cmd
}

// A healthy database passes, and nothing is left of it.
func TestTorture(t *testing.T) {
	dir := t.TempDir()
	out, err := tortureCommand("--db", filepath.Join(dir, "scratchpad.db"), "--for", "100ms", "--seed", "11", "--clients", "4", "--json").Output()
	testkit.Must(t, err)
	var r record
	testkit.Must(t, json.Unmarshal(out, &r))
	if !r.OK || r.Seed != 11 || r.Histories < 1 || r.Kills < 1 || r.Calls != 100*r.Histories || !strings.HasPrefix(r.Database, dir) {
		t.Errorf("%+v, expected histories of 100 calls each, kills, seed 11 and a folder in %s", r, dir)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left, expected nothing", left, err)
	}
}

// A wrong command line is told from a check that failed by its exit code.
func TestTortureRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "name one with --dir"}, {[]string{"--servers", "0"}, "--servers"}, {[]string{"--nothing"}, "-nothing"}, {[]string{"10m"}, `"10m"`},
	} {
		cmd := tortureCommand(c.args...)
		if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), c.want) {
			t.Errorf("torture %q: %v, %s, expected code 2 and %q", c.args, err, out, c.want)
		}
	}
}

// A server that ends by itself is a failure: the report names the seed and keeps the
// database. Here the test ends it.
func TestTortureFails(t *testing.T) {
	dir := t.TempDir()
	cmd := tortureCommand("--dir", dir, "--seed", "12", "--for", "1m")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	testkit.Must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for wait := 2 * time.Second; ; wait = 100 * time.Millisecond { // first all servers start
		select {
		case err := <-ended:
			if cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("torture ended with %v, expected exit code 1", err)
			}
		case <-time.After(wait):
			for _, pid := range children(t, cmd.Process.Pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL) // unless torture has killed it
			}
			continue
		}
		break
	}
	// The signal may meet a server that has just been started.
	if text := out.String(); !strings.Contains(text, "ended by itself: signal: killed") && !strings.Contains(text, "starting a server: signal: killed") {
		t.Errorf("torture said %q, expected that a server was killed", text)
	}
	for _, want := range []string{"FAILED ", "of seed 12", "\nagain     go -C tools run ./torture --servers 3 --clients 8 --seed 12 --round "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("torture said %q, expected %q", out.String(), want)
		}
	}
	if kept, err := filepath.Glob(filepath.Join(dir, "*", "*", "torture.db")); err != nil || len(kept) != 1 {
		t.Errorf("%v, %v are kept, expected the database", kept, err)
	}
	if !strings.Contains(errs.String(), "a check failed") {
		t.Errorf("the error is %q", errs.String())
	}
}

// children returns the processes whose parent is a process.
func children(t *testing.T, parent int) (all []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	testkit.Must(t, err)
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			testkit.Must(t, err)
			all = append(all, pid)
		}
	}
	return all
}
