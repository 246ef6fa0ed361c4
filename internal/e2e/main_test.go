package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// Paths of what TestMain has installed and built.
var (
	scratchpadPath string // the real binary
	nodePath       string // Node 22
	homeDir        string // an empty home folder for the clients
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "scratchpad-e2e-")
	if err == nil {
		defer os.RemoveAll(dir)
		homeDir = filepath.Join(dir, "home")
		err = errors.Join(os.Mkdir(homeDir, 0o700), process.InstallNPM("."))
	}
	if err == nil {
		nodePath, err = process.Node(".")
	}
	if err == nil {
		scratchpadPath, err = process.Build(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	return m.Run()
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// node returns a command that runs a script of node_modules or of this folder.
func node(t testing.TB, script string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), nodePath, append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+homeDir, "USERPROFILE="+homeDir, "NO_COLOR=1", "NODE_OPTIONS=", "NO_PROXY=127.0.0.1,localhost",
		"NODE_COMPILE_CACHE="+filepath.Join(homeDir, "compiled")) // the same scripts start a hundred times
	return cmd
}
