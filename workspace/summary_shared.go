package workspace

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
)

// newMaker returns what lets one caller of all processes make a summary.
func (s *Service) newMaker(monthlyTokens int64) *summaries.Maker[SummaryResult] {
	return summaries.New[SummaryResult](summaries.Options{
		System:      s.shared,
		Now:         s.now,
		Tokens:      monthlyTokens,
		FailureText: failureText,
	})
}

// failureText returns what other processes are told of a failure. It has neither the
// kind nor the way out: whoever reads it adds these, in the words of its front end.
func failureText(err error) string {
	if err = summaryError(err); !errors.Is(err, ErrProvider) {
		return "" // another caller may have better luck
	}
	if e, ok := err.(*Error); ok {
		told := *e
		told.Way = Way{}
		return told.Text(Words{NoKind: true})
	}
	return err.Error()
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
		return Errorf(ErrClosed, "it was stopped")
	case err == summaries.ErrLate:
		return or(Errorf(ErrProvider, "there is no summary after %v, ask again later", summaries.MaxTime), DoReadFile, 0)
	case err == summaries.ErrLost:
		return Errorf(ErrConflict, "another process makes this summary now")
	case err == records.ErrBusy:
		return or(Errorf(ErrBusy, "too many calls count the tokens of summaries at once"), DoRetry, 0)
	case errors.As(err, &over):
		quota := Quota{Of: SummaryTokens, Used: over.Spent, Adds: over.Estimate, Limit: over.Limit}
		return or(overQuota(quota, "this agent has spent %d of %d tokens for summaries this month, and this one takes about %d",
			over.Spent, over.Limit, over.Estimate), DoReadFile, 0)
	case errors.As(err, &damaged):
		return or(Errorf(ErrCorrupt, "what this agent has spent on summaries this month cannot be read in the record %s", damaged.Key), DoReadFile, 0)
	case errors.As(err, &failed):
		return Errorf(ErrProvider, "%v", failed)
	}
	return err
}
