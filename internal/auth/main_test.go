package auth_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 40, Long: 200, Full: 400}.Set()
	goleak.VerifyTestMain(m)
}
