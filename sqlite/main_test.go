package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite" // for database/sql
)

// A test that needs another process starts this test binary again. The variable names
// the role, and the role gets the arguments.
const roleVariable = "SCRATCHPAD_TEST_ROLE"

var roles = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		role, ok := roles[name]
		if !ok {
			fmt.Fprintf(os.Stderr, "no role %q\n", name)
			os.Exit(2)
		}
		if err := role(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testkit.Checks{Checks: 8, Long: 40, Full: 100, Short: 4}.Set()
	testkit.SideBySide()
	remove := testkit.TempInMemory()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { remove(); os.Exit(code) }))
}

// roleCommand returns the command for a process of this binary in a role. The caller
// sets its standard input and output.
func roleCommand(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}
