package postgres_test

import (
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func TestMain(m *testing.M) {
	storetest.Far()
	testkit.Checks{Checks: 5, Long: 10, Full: 100, Short: 3}.Set()
	testkit.SideBySide()
	os.Exit(m.Run())
}
