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

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// holdTurn keeps the turn to write from other processes until the test ends.
func holdTurn(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
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
	testkit.SkipInShort(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	makeDatabase(t, path)
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "notes"), 0o700))
	writeFile(t, filepath.Join(dir, "notes", "a.md"), "text")
	holdTurn(t, path)
	for _, args := range []string{"logs append l one", "files edit plan.md a b --agent alice", "agents rm bob --yes", "import " + filepath.Join(dir, "notes")} {
		cmd := exec.Command(os.Args[0], append(strings.Fields(args), "--db", path)...)
		cmd.Env = environ()
		var said strings.Builder
		cmd.Stderr = &said
		testkit.Must(t, cmd.Start())
		waitOpen(t, cmd.Process.Pid, path+"-turn")
		testkit.Must(t, cmd.Process.Signal(os.Interrupt))
		if cmd.Wait(); cmd.ProcessState.ExitCode() != failure.ExitInterrupted {
			t.Errorf("scratchpad %s, interrupted: exit code %d, %s, want %d", args, cmd.ProcessState.ExitCode(), said.String(), failure.ExitInterrupted)
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
		testkit.Must(t, err)
		for _, fd := range fds {
			if target, err := os.Readlink(fd); err == nil && target == name {
				return
			}
		}
	}
	t.Fatalf("process %d does not open %s", pid, name)
}
