package doors

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

var scratchpadPath string // the real binary

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if scratchpadPath, err = process.Build(filepath.Join("..", "..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, "doors:", err)
		return 1
	}
	return m.Run()
}
