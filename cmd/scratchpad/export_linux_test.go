package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Ctrl-C stops an export. It says that the folder is not whole, and how to go on.
func TestInterruptedExport(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "test.db"), filepath.Join(dir, "memory")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent(defaultAgent)
	testkit.Must(t, err)
	for i := range 900 {
		_, err := ws.WriteFile(t.Context(), fmt.Sprint("f", i), []byte(strings.Repeat("x", 10_000)), workspace.WriteOptions{})
		testkit.Must(t, err)
	}
	testkit.Must(t, store.Close())

	cmd := exec.Command(os.Args[0], "export", target, "--db", path)
	cmd.Env = environ()
	var said bytes.Buffer
	cmd.Stderr = &said
	testkit.Must(t, cmd.Start())
	for deadline := time.Now().Add(waitPatience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(target, "files", "f0")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the export has not begun")
		}
	}
	testkit.Must(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != failure.ExitInterrupted || !strings.Contains(said.String(), "remove it, and run the export again") {
		t.Errorf("exit code %d: %s", code, said.String())
	}
	runCommand(t, dir, nil, "import", target, "--db", path).must(t, 4, "the export was interrupted")
	testkit.Must(t, os.RemoveAll(target))
	runCommand(t, dir, nil, "export", target, "--db", path).must(t, 0, "900 files")
}

// A user with only read access can export. Without an id, the manifest has none.
func TestExportNoRights(t *testing.T) {
	root, err := os.MkdirTemp("", "export")
	testkit.Must(t, err)
	dir, target := filepath.Join(root, "data"), filepath.Join(root, "target")
	path := filepath.Join(dir, "test.db")
	t.Cleanup(func() { os.Chmod(dir, 0o700); os.RemoveAll(root) })
	testkit.Must(t, errors.Join(os.Chmod(root, 0o755), os.Mkdir(dir, 0o700), os.Mkdir(target, 0o777), os.Chmod(target, 0o777)))
	makeDatabase(t, path)
	testkit.Must(t, errors.Join(os.Chmod(path, 0o444), os.Chmod(dir, 0o555)))
	before := contents(t, dir)
	memory := filepath.Join(target, "memory")
	runCommand(t, root, []string{nobodyVariable + "=1"}, "export", memory, "--db", path, "--agent", "alice").must(t, 0, "3 files")
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
	if manifest := testkit.ReadFile(t, filepath.Join(memory, "manifest.json")); strings.Contains(manifest, `"database"`) {
		t.Errorf("the manifest has an id: %s", manifest)
	}
}
