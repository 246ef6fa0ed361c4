package conversation_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 30, Long: 500, Full: 5000, Short: 50, Steps: 60}.Set()
	goleak.VerifyTestMain(m)
}
