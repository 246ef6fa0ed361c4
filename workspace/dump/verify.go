package dump

import (
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// VerifyOptions are those of a backend's Verify. The zero value works.
type VerifyOptions struct {
	// Progress is called now and then with the bytes of content checked and all bytes. nil: not
	// called.
	Progress func(done, total int64)
}

// A VerifyReport is the result of a backend's Verify.
type VerifyReport struct {
	Owners, Versions, Entries, Bytes int64 // how many were checked
	// Deleted is how many of the owners hold nothing any more. Store.Owners does not list them.
	Deleted  int64
	Problems []string // at most 100; each names its object. nil: none was found
}

// Problem adds a problem.
func (r *VerifyReport) Problem(format string, args ...any) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Damage adds an error about damage to the problems and returns nil. It returns other errors.
func (r *VerifyReport) Damage(err error) error {
	if errors.Is(err, store.ErrCorrupt) {
		r.Problem("%v", err)
		return nil
	}
	return err
}

// Owner checks the rows of an owner, which rows passes to fn. rows may pass the error of a
// damaged row to damaged, and go on. total is the number of all bytes.
func (r *VerifyReport) Owner(owner string, o VerifyOptions, total int64,
	rows func(fn func(store.Row) error, damaged func(error) error) error) error {
	var check Checker
	broken := false
	damaged := func(err error) error {
		broken = true
		r.Problem("%s: %v", owner, err)
		return nil
	}
	err := rows(func(row store.Row) error {
		before := check.report.Bytes
		_ = check.Add(row) // it is in the report
		if done := r.Bytes + check.report.Bytes; o.Progress != nil && check.report.Bytes > before {
			o.Progress(done, max(total, done))
		}
		return nil
	}, damaged)
	before := len(check.report.Problems)
	found, _ := check.End()
	if errors.Is(err, store.ErrCorrupt) {
		found.Problems = found.Problems[:before] // the end was not reached
		err = damaged(err)
	}
	for _, text := range found.Problems {
		r.Problem("%s: %s", owner, text)
	}
	if found.State.Usage == (store.Usage{}) && !broken && err == nil {
		r.Deleted++
	}
	r.Owners++
	r.Versions += found.Versions
	r.Entries += found.Entries
	r.Bytes += found.Bytes
	return err
}
