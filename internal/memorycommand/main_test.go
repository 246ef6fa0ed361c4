package memorycommand_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 25, Long: 120, Full: 5000, Short: 125, Steps: 60}.Set() // in -short rapid draws a fifth: too few would not have every answer
	goleak.VerifyTestMain(m)
}
