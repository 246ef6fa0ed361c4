package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
)

// newMaker returns what lets one caller of all processes make a summary.
func (s *Service) newMaker(monthlyTokens int64) *summaries.Maker[SummaryResult] {
	return summaries.New[SummaryResult](summaries.Options{
		System: s.shared,
		Now:    s.now,
		Tokens: monthlyTokens,
		FailureText: func(err error) string {
			if err = summaryError(err); errors.Is(err, ErrProvider) {
				return err.Error()
			}
			return "" // another caller may have better luck
		},
	})
}

// makeOnce has one caller of all processes make the summary, for all who want it.
func (s *Service) makeOnce(ctx context.Context, j *summaryJob, progress func(done, total int)) (SummaryResult, error) {
	r, joined, err := s.summaries.Do(ctx, summaries.Request[SummaryResult]{
		ID: j.id(), Account: j.w.owner.String(), Job: j, Progress: progress,
	})
	if err != nil {
		return SummaryResult{}, summaryError(err)
	}
	r.Cached = r.Cached || joined
	return r, nil
}

// summaryError gives an error of package summaries its kind. It returns other errors as
// they are.
func summaryError(err error) error {
	var over *summaries.BudgetError
	var damaged *summaries.DamagedError
	var failed *summaries.FailedError
	switch {
	case err == summaries.ErrStopped:
		return fmt.Errorf("it was stopped: %w", ErrClosed)
	case err == summaries.ErrLate:
		return fmt.Errorf("there is no summary after %v; ask again later, or use read_file: %w", summaries.MaxTime, ErrProvider)
	case err == summaries.ErrLost:
		return fmt.Errorf("another process makes this summary now: %w", ErrConflict)
	case err == records.ErrBusy:
		return fmt.Errorf("counting the tokens of a summary: %w", ErrBusy)
	case errors.As(err, &over):
		return fmt.Errorf("this agent has spent %d of %d tokens for summaries this month, and this one takes about %d; use read_file: %w",
			over.Spent, over.Limit, over.Estimate, ErrQuota)
	case errors.As(err, &damaged):
		return fmt.Errorf("what this agent has spent on summaries this month cannot be read in the record %s; use read_file: %w", damaged.Key, ErrCorrupt)
	case errors.As(err, &failed):
		return sharedFailure{failed}
	}
	return err
}

// A sharedFailure is the failure of another call, in its words.
type sharedFailure struct{ *summaries.FailedError }

func (f sharedFailure) Unwrap() error { return ErrProvider }
