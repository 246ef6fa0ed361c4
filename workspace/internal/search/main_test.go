package search_test

import (
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 300, Long: 3000, Short: 1500}.Set() // in -short rapid draws a fifth: too few would prove little
	os.Exit(m.Run())
}
