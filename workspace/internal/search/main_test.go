package search_test

import (
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 300, Long: 3000}.Set()
	os.Exit(m.Run())
}
