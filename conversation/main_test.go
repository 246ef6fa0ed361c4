package conversation_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 100, Long: 1000, Full: 5000, Short: 200, Steps: 60}.Set()
	goleak.VerifyTestMain(m)
}
