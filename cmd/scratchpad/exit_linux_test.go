package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// holdTurn keeps the turn to write from other processes until the test ends.
func holdTurn(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- store.Update(context.Background(), port.Owner{Tenant: "local", Agent: "holder"}, func(port.Tx) error {
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
	dir, path := newDatabase(t)
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "notes"), 0o700))
	writeFile(t, filepath.Join(dir, "notes", "a.md"), "text")
	holdTurn(t, path)
	for _, args := range []string{"logs append l one", "files edit plan.md a b --agent alice", "agents rm bob --yes", "import " + filepath.Join(dir, "notes")} {
		cmd := exec.Command(os.Args[0], append(strings.Fields(args), "--db", path)...)
		cmd.Dir = filepath.Dir(path)
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
	eventually(t, "the process does not open "+name, func() bool {
		fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		testkit.Must(t, err)
		return slices.ContainsFunc(fds, func(fd string) bool {
			target, err := os.Readlink(fd)
			return err == nil && target == name
		})
	})
}

// A mark stays where it was if nobody can have read the brief.
func TestMarkAfterOutput(t *testing.T) {
	_, path := newDatabase(t)
	brief := func(redirect string) (string, error) {
		cmd := exec.Command("sh", "-c", `exec "$0" brief --agent alice --mark m --db "$1" `+redirect, os.Args[0], path)
		cmd.Env = environ()
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, redirect := range []string{">&-", ">/dev/null", ">/dev/full", "--json >/dev/full"} {
		said, _ := brief(redirect)
		if said == "" {
			t.Errorf("%s: nothing is said", redirect)
		}
		if strings.Contains(said, "internal error") {
			t.Errorf("%s: %s", redirect, said)
		}
	}
	for _, want := range []string{"Newest:", "Nothing has changed"} { // the first brief of the mark, and the second
		said, err := brief("")
		testkit.Must(t, err)
		if !strings.Contains(said, want) {
			t.Errorf("%s, want %s", said, want)
		}
	}
}

// A brief does not wait long for another process that writes. It says that the mark stays.
func TestMarkOfBusyDatabase(t *testing.T) {
	testkit.SkipUnlessLong(t) // it waits for two seconds
	t.Parallel()
	_, path := newDatabase(t)
	holdTurn(t, path)
	runProgram(t, os.Args[0], t.TempDir(), environ(), "brief", "--agent", "alice", "--mark", "m", "--db", path).must(t, 0, "Newest:", "the mark m stays where it was", "another process is writing")
}
