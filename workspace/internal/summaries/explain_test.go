package summaries_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestFailureTextHasNoWordsOfAFrontEnd(t *testing.T) {
	err := fault.Or(store.Errorf(store.ErrProvider, "the model refused"), store.DoReadFile, 0)
	if got := summaries.FailureText(err); got != "the model refused" {
		t.Errorf("got %q", got)
	}
}
