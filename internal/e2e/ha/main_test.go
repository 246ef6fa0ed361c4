package ha

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
	if os.Getenv("SCRATCHPAD_TEST") == "" { // this module is not part of the plain run
		err = os.Setenv("SCRATCHPAD_TEST", "all")
	}
	if err == nil {
		scratchpadPath, err = process.Build(filepath.Join("..", "..", ".."))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ha:", err)
		return 1
	}
	return m.Run()
}
