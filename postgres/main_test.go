package postgres_test

import (
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func TestMain(m *testing.M) {
	storetest.Far()
	testkit.Checks{Checks: 10, Long: 20, Full: 100, Short: 5}.Set()
	os.Exit(m.Run())
}
