package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// While the command asks, the log gets an entry. So a yes deletes nothing.
func TestLogsRmAsksAboutWhatIsThere(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	runCommand(t, dir, nil, "logs", "append", "l", "seen", "--db", path).must(t, 0)
	s := newScreen(t)
	cmd := exec.Command(os.Args[0], "logs", "rm", "l", "--db", path)
	cmd.Env = environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
	testkit.Must(t, cmd.Start())
	s.slave.Close()
	s.readTo(t, "[y/N] ")
	runCommand(t, dir, nil, "logs", "append", "l", "late", "--db", path).must(t, 0)
	_, err := io.WriteString(s.master, "y\n")
	testkit.Must(t, err)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != failure.ExitConflict {
		t.Errorf("exit code %d, want %d", code, failure.ExitConflict)
	}
	s.readTo(t, "delete log l: its last entry is 2, not 1")
	runCommand(t, dir, nil, "logs", "cat", "l", "--db", path).must(t, 0, "seen", "late")
}
