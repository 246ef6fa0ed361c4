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

// A healthy database passes, and nothing is left of it.
func TestTorture(t *testing.T) {
	dir := t.TempDir()
	var r tortureRecord
	o := runCommand(t, dir, nil, "torture", "--db", filepath.Join(dir, "scratchpad.db"), "--for", "100ms", "--seed", "11", "--clients", "4", "--json")
	o.must(t, 0)
	testkit.Must(t, json.Unmarshal([]byte(o.out), &r))
	if !r.OK || r.Seed != 11 || r.Histories < 1 || r.Kills < 1 || r.Calls != 100*r.Histories || !strings.HasPrefix(r.Database, dir) {
		t.Errorf("%+v, expected histories of 100 calls each, kills, seed 11 and a folder in %s", r, dir)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left, expected nothing", left, err)
	}
	runCommand(t, dir, nil, "torture", "--db", "mem:").must(t, 2, "name a folder with --dir")
	runCommand(t, dir, nil, "torture", "--servers", "0").must(t, 2, "--servers")
}

// A server that ends by itself is a failure: the report names the seed and keeps the
// database. Here the test ends it.
func TestTortureFails(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "torture", "--dir", dir, "--seed", "12", "--for", "1m")
	cmd.Env = append(os.Environ(), runVariable+"=1")
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
	for _, want := range []string{"FAILED ", "of seed 12", "\nagain     scratchpad torture --servers 3 --clients 8 --seed 12 --round "} {
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
