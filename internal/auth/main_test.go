package auth_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"go.uber.org/goleak"
)

// A test that needs another process starts this test binary again, with the role in this
// variable.
const roleVariable = "SCRATCHPAD_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "server" {
		if err := serve(os.Args[1], os.Args[2] == "planted"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testkit.Checks{Checks: 40, Long: 400}.Set()
	goleak.VerifyTestMain(m)
}
