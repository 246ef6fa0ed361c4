package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// module is the folder of Scratchpad's own module, and clients that of package-lock.json.
var module, clients = filepath.Join("..", "..", ".."), ".."

// What TestMain has built and installed.
var (
	scratchpadPath string // the real binary
	nodePath       string // Node 22
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	err := process.InstallNPM(clients)
	if err == nil {
		nodePath, err = process.Node(clients)
	}
	if err == nil {
		scratchpadPath, err = process.Build(module)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		return 1
	}
	return m.Run()
}
