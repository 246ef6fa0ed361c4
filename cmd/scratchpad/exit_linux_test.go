package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// holdTurn keeps the turn to write from other processes until the test ends.
func holdTurn(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- store.Update(context.Background(), workspace.Owner{Tenant: "local", Agent: "holder"}, func(workspace.Tx) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	t.Cleanup(func() {
		close(leave)
		if err := <-done; err != nil {
			t.Error(err)
		}
		store.Close()
	})
}

// Ctrl-C while another process keeps the database is an interrupt, and no
// trouble with the database.
func TestInterruptedWait(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	makeDatabase(t, path)
	holdTurn(t, path)
	for _, args := range []string{"logs append l one", "files edit plan.md a b --agent alice", "agents rm bob --yes"} {
		cmd := exec.Command(os.Args[0], append(strings.Fields(args), "--db", path)...)
		cmd.Env = append(os.Environ(), runVariable+"=1", noRaceWait)
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitOpen(t, cmd.Process.Pid, path+"-turn")
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("scratchpad %s, interrupted: exit code %d, %s, want %d", args, cmd.ProcessState.ExitCode(), said.String(), exitInterrupted)
		}
	}
}

// waitOpen waits until a process has a file open.
func waitOpen(t *testing.T, pid int, name string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(waitPatience); time.Now().Before(deadline); <-tick.C {
		fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if target, err := os.Readlink(fd); err == nil && target == name {
				return
			}
		}
	}
	t.Fatalf("process %d does not open %s", pid, name)
}
