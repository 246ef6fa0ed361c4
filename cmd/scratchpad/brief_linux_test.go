package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A mark stays where it was if nobody can have read the brief.
func TestMarkAfterOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	makeDatabase(t, path)
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
	path := filepath.Join(t.TempDir(), "test.db")
	makeDatabase(t, path)
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- store.Update(t.Context(), workspace.Owner{Tenant: "local", Agent: "holder"}, func(workspace.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	o := runCommand(t, t.TempDir(), nil, "brief", "--agent", "alice", "--mark", "m", "--db", path)
	close(release) // before the checks, which may end the test
	testkit.Must(t, <-done)
	testkit.Must(t, store.Close())
	o.must(t, 0, "Newest:", "the mark m stays where it was", "another process is writing")
}
