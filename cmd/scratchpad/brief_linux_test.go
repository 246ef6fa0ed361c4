package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A mark stays where it was if nobody can have read the brief.
func TestMarkAfterOutput(t *testing.T) {
	testkit.SkipInShort(t)
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
	testkit.SkipUnlessLong(t) // it waits for two seconds
	path := filepath.Join(t.TempDir(), "test.db")
	makeDatabase(t, path)
	holdTurn(t, path)
	runCommand(t, t.TempDir(), nil, "brief", "--agent", "alice", "--mark", "m", "--db", path).must(t, 0, "Newest:", "the mark m stays where it was", "another process is writing")
}
