//go:build linux

package load

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// With floorVariable set, the test binary is the floor.
const floorVariable = "SCRATCHPAD_TEST_FLOOR"

var scratchpadPath string // the real binary

func TestMain(m *testing.M) {
	if os.Getenv(floorVariable) != "" {
		fmt.Fprintln(os.Stderr, serveFloor())
		os.Exit(1)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if scratchpadPath, err = process.Build(filepath.Join("..", "..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
