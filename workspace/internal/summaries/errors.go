package summaries

import (
	"errors"
	"fmt"
	"time"
)

var (
	ErrStopped = errors.New("the summary was stopped")   // by Close
	ErrLate    = errors.New("the summary took too long") // longer than MaxTime
)

// A BudgetError says that an account has too few tokens left in this month.
type BudgetError struct {
	Spent    int64 // in this month
	Limit    int64
	Estimate int64 // for this summary
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%d of %d tokens are spent, this summary takes about %d", e.Spent, e.Limit, e.Estimate)
}

// A DamagedError names a record of spending that cannot be read.
type DamagedError struct{ Key string }

func (e *DamagedError) Error() string { return "the record " + e.Key + " cannot be read" }

// A FailedError says that another caller has tried moments ago, failed, and used tokens.
type FailedError struct {
	Text    string        // the error of that caller
	RetryIn time.Duration // until the next try
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s (failed moments ago after using tokens; try again in %v)", e.Text, e.RetryIn)
}
