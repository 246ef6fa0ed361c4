package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// With runVariable set, the test binary is the command. With crashing, its servers do not live long.
const (
	runVariable = "SCRATCHPAD_TEST_TORTURE_COMMAND"
	crashing    = "crashing"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(runVariable); mode != "" {
		if mode == crashing && len(os.Args) > 1 && os.Args[1] == server {
			time.AfterFunc(300*time.Millisecond, func() { panic("a planted crash") })
		}
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
// database.
func TestTortureFails(t *testing.T) {
	dir := t.TempDir()
	cmd := tortureCommand("--dir", dir, "--seed", "12", "--for", "1m")
	cmd.Env = append(cmd.Env, runVariable+"="+crashing)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "a check failed") {
		t.Errorf("torture ended with %v, %s, expected exit code 1", err, &errs)
	}
	for _, want := range []string{"a planted crash", "FAILED ", "of seed 12", "\nagain     go -C tools run ./torture --servers 3 --clients 8 --seed 12 --round "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("torture said %q, expected %q", out.String(), want)
		}
	}
	if kept, err := filepath.Glob(filepath.Join(dir, "*", "*", "torture.db")); err != nil || len(kept) != 1 {
		t.Errorf("%v, %v are kept, expected the database", kept, err)
	}
}
