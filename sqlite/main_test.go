package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// A test that needs another process starts this test binary again: the
// variable names the role, and the function takes the arguments.
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
	goleak.VerifyTestMain(m)
}

// roleCommand is a process of this binary in a role. Its standard streams are
// the caller's to set.
func roleCommand(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// long reports whether the long proofs are to run.
func long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }
