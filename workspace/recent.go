package workspace

import (
	"context"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
)

// A recent is a number that takes long to compute and may be a little old. It is computed
// again when it is older than its age. It is safe for concurrent use.
type recent struct {
	age       time.Duration
	now       func() time.Time
	computing *admission.Semaphore // of one

	mu       sync.Mutex // guards the following
	computed bool       // at least once
	at       time.Time
	n        int64
}

// newRecent returns a recent that is not computed yet.
func newRecent(age time.Duration, now func() time.Time) *recent {
	return &recent{age: age, now: now, computing: admission.New(1, 1)}
}

// get returns the number, and computes it if it is too old. While one caller computes,
// the others get the last number, or wait if there is none. If ctx ends while a caller
// waits, the error is that of ctx.
func (r *recent) get(ctx context.Context, compute func() (int64, error)) (int64, error) {
	n, computed, fresh := r.last()
	if fresh {
		return n, nil
	}
	turn, free := r.computing.TryTake("", 1)
	if !free {
		if computed {
			return n, nil
		}
		var err error
		if turn, err = r.computing.Take(ctx, "", 1); err != nil {
			return 0, err
		}
	}
	defer turn.Leave()
	if n, _, fresh := r.last(); fresh {
		return n, nil
	}
	n, err := compute()
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.computed, r.at, r.n = true, r.now(), n
	return n, nil
}

// last returns the last number. It is not fresh if it is too old, or from the future,
// which happens after a clock was set back.
func (r *recent) last() (n int64, computed, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	age := r.now().Sub(r.at)
	return r.n, r.computed, r.computed && age >= 0 && age < r.age
}
