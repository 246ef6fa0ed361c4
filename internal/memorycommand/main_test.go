package memorycommand_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 20, Long: 120, Full: 5000, Steps: 60}.Set()
	goleak.VerifyTestMain(m)
}
