package summaries

import (
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// failureText returns what later callers are told of a failure; "": nothing. It has neither
// the kind nor the way out: whoever reads it adds these, in the words of its front end.
func failureText(err error) string {
	if err = Explain(err); !errors.Is(err, store.ErrProvider) {
		return "" // another caller may have better luck
	}
	if e, ok := err.(*store.Error); ok {
		told := *e
		told.Way = store.Way{}
		return told.Text(store.Words{NoKind: true})
	}
	return err.Error()
}

// Explain gives an error of this package its kind. It returns other errors as
// they are.
func Explain(err error) error {
	var over *BudgetError
	var damaged *DamagedError
	var failed *FailedError
	switch {
	case err == ErrStopped:
		return store.Errorf(store.ErrClosed, "it was stopped")
	case err == ErrLate:
		return fault.Or(store.Errorf(store.ErrProvider, "there is no summary after %v, ask again later", MaxTime),
			store.DoReadFile, 0)
	case errors.As(err, &over):
		met := store.Quota{Of: store.SummaryTokens, Used: over.Spent, Adds: over.Estimate, Limit: over.Limit}
		return fault.Or(fault.Exceeded(met, "this agent has spent %d of %d tokens for summaries this month, and "+
			"this one takes about %d",
			over.Spent, over.Limit, over.Estimate), store.DoReadFile, 0)
	case errors.As(err, &damaged):
		return fault.Or(store.Errorf(store.ErrCorrupt,
			"what this agent has spent on summaries this month cannot be read in the record %s", damaged.Key),
			store.DoReadFile, 0)
	case errors.As(err, &failed):
		return store.Errorf(store.ErrProvider, "%v", failed)
	}
	return err
}
