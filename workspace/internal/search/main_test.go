package search_test

import (
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 60, Long: 1500, Short: 100}.Set() // in -short rapid draws a fifth
	os.Exit(m.Run())
}
