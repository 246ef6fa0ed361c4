package summaries

import (
	"cmp"
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ForWorks returns a [Maker] whose jobs are [Work]s. tokens may be spent for an owner in a
// month, in UTC; 0: no limit.
func ForWorks(system func(context.Context) store.Records, now func() time.Time, tokens int64) *Maker[Result] {
	return New[Result](system, now, tokens)
}

// Summarize returns the summary that is kept, or makes one. If shared, one caller makes
// it, with m, for all who want it. Otherwise m only counts what it costs. The error is
// [ErrRewritten] if the file was rewritten meanwhile, and nothing was spent.
func (w *Work) Summarize(
	ctx context.Context, m *Maker[Result], shared bool, progress func(done, total int),
) (Result, error) {
	kept, err := w.Read(ctx)
	switch {
	case err != nil:
		return Result{}, err
	case kept != nil:
		return w.Kept(*kept), nil
	case shared:
		return w.share(ctx, m, progress)
	}
	spent, err := w.Make(ctx, progress)
	if spent > 0 {
		m.Spend(ctx, w.Owner.String(), spent)
	}
	if err != nil {
		return Result{}, cmp.Or(ctx.Err(), err)
	}
	return w.Keep(ctx)
}

// share has one caller make the summary.
func (w *Work) share(ctx context.Context, m *Maker[Result], progress func(done, total int)) (Result, error) {
	r, joined, err := m.Do(ctx, Request[Result]{ID: w.ID(), Account: w.Owner.String(), Job: w, Progress: progress})
	if err != nil {
		return Result{}, Explain(err)
	}
	r.Cached = r.Cached || joined
	return r, nil
}
