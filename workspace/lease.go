package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	leaseTime    = 90 * time.Second // of who makes a summary; a killed one's ends so
	failureTime  = 3 * time.Second  // for which a failure is the answer to others too
	firstLook    = 50 * time.Millisecond
	longestLook  = time.Second // between two looks whether another one is done
	flightTime   = 10 * time.Minute
	spendRetries = 100
)

// A lease is the record that keeps others, in any process, from making the same
// summary.
type lease struct {
	Holder string    `json:"holder,omitempty"`
	Until  time.Time `json:"until"`
	Failed string    `json:"failed,omitempty"` // why: others do not try again at once
}

// leaseKey names the summary and no agent's path.
func (j summaryJob) leaseKey() string {
	text, err := json.Marshal([]any{j.w.owner.Tenant, j.w.owner.Agent, j.path.name, j.summarizer.key(j.version.Number)})
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(text)
	return "lease/summary/" + hex.EncodeToString(sum[:])
}

// share has one caller of this process make the summary, and the others wait. It
// goes on when all have left: it is paid.
func (j summaryJob) share(ctx context.Context) (SummaryResult, error) {
	key := j.leaseKey()
	done := j.w.svc.flights.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flightTime)
		defer cancel()
		return j.lead(ctx, key)
	})
	select {
	case <-ctx.Done():
		return SummaryResult{}, ctx.Err()
	case r := <-done:
		if r.Err != nil {
			return SummaryResult{}, r.Err
		}
		return r.Val.(SummaryResult), nil
	}
}

// lead makes the summary, or waits for the process that does.
func (j summaryJob) lead(ctx context.Context, key string) (SummaryResult, error) {
	if err := j.w.svc.checkSpend(ctx, j.w.owner, j.version); err != nil {
		return SummaryResult{}, err
	}
	records := j.w.svc.store.System(ctx)
	holder := fmt.Sprintf("%016x", rand.Uint64())
	for look := firstLook; ; look = min(2*look, longestLook) {
		revision, other, err := j.acquire(records, key, holder)
		switch {
		case err != nil:
			return SummaryResult{}, err
		case revision > 0:
			return j.hold(ctx, records, key, holder, revision)
		case other.Failed != "":
			return SummaryResult{}, fmt.Errorf("%s: %w", other.Failed, ErrProvider)
		}
		select {
		case <-ctx.Done():
			return SummaryResult{}, ctx.Err()
		case <-time.After(look):
		}
		v, kept, err := j.w.findSummary(ctx, j.path, j.summarizer)
		switch {
		case err != nil:
			return SummaryResult{}, err
		case kept != nil && v.Number == j.version.Number:
			return j.summarizer.result(j.path.name, *kept, true, true), nil
		}
	}
}

// acquire takes the lease where nobody has it: then the revision is above 0,
// otherwise it returns who has it.
func (j summaryJob) acquire(records Records, key, holder string) (revision int64, other lease, err error) {
	now := j.w.svc.now()
	r, err := records.Get(key)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, lease{}, err
	}
	if err == nil && json.Unmarshal(r.Value, &other) == nil && now.Before(other.Until) && other.Until.Sub(now) <= leaseTime {
		return 0, other, nil
	}
	revision, err = records.Put(key, encodeLease(lease{Holder: holder, Until: now.Add(leaseTime)}), r.Revision)
	if errors.Is(err, ErrConflict) {
		return 0, lease{}, nil
	}
	return revision, lease{}, err
}

func encodeLease(l lease) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings and a time
	}
	return text
}

// hold makes the summary under the lease, and gives it back: with the failure,
// where there was one, so that those who wait do not all try again.
func (j summaryJob) hold(ctx context.Context, records Records, key, holder string, revision int64) (SummaryResult, error) {
	// Another process may have made it just before.
	if v, kept, err := j.w.findSummary(ctx, j.path, j.summarizer); err != nil || kept != nil && v.Number == j.version.Number {
		records.Delete(key, revision)
		if err != nil {
			return SummaryResult{}, err
		}
		return j.summarizer.result(j.path.name, *kept, true, true), nil
	}
	made, err := j.make(ctx, func(ctx context.Context) error {
		next, err := records.Put(key, encodeLease(lease{Holder: holder, Until: j.w.svc.now().Add(leaseTime)}), revision)
		if err == nil {
			revision = next
		}
		return err
	})
	if err != nil {
		records.Put(key, encodeLease(lease{Until: j.w.svc.now().Add(failureTime), Failed: err.Error()}), revision)
		return SummaryResult{}, err
	}
	r, err := j.keep(ctx, made)
	records.Delete(key, revision)
	return r, err
}

// spendKey names what an agent has spent in a month.
func spendKey(o Owner, now time.Time) string {
	return "spend/summary/" + o.String() + "/" + now.UTC().Format("2006-01")
}

// checkSpend refuses a summary that would take the agent over its tokens of the
// month.
func (s *Service) checkSpend(ctx context.Context, o Owner, v Version) error {
	if s.summaryTokens <= 0 {
		return nil
	}
	spent, _, err := s.spent(ctx, o)
	if err != nil {
		return err
	}
	if about := int64(len(v.Content)) / 4; spent+about > s.summaryTokens {
		return fmt.Errorf("this agent has spent %d of %d tokens for summaries this month, and this one takes about %d; use read_file: %w",
			spent, s.summaryTokens, about, ErrQuota)
	}
	return nil
}

func (s *Service) spent(ctx context.Context, o Owner) (tokens, revision int64, err error) {
	r, err := s.store.System(ctx).Get(spendKey(o, s.now()))
	if errors.Is(err, ErrNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(string(r.Value), &tokens); err != nil {
		return 0, 0, fmt.Errorf("record %s: %w", r.Key, ErrCorrupt)
	}
	return tokens, r.Revision, nil
}

// spend adds to what an agent has spent this month.
func (s *Service) spend(ctx context.Context, o Owner, tokens int64) error {
	for range spendRetries {
		spent, revision, err := s.spent(ctx, o)
		if err != nil {
			return err
		}
		_, err = s.store.System(ctx).Put(spendKey(o, s.now()), fmt.Append(nil, spent+tokens), revision)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("counting the tokens of a summary: %w", ErrBusy)
}
