package workspace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

const (
	leaseTime   = 90 * time.Second // of who makes a summary; a killed one's ends so
	leaseBeat   = leaseTime / 3    // between two renewals
	failureTime = 3 * time.Second  // for which a failure can be read by those who waited
	paidTime    = 30 * time.Second // for which one that has cost something is the answer to all
	firstLook   = 50 * time.Millisecond
	longestLook = time.Second // between two looks whether another one is done
)

const leasePrefix = "lease/summary/"

// leaseRecord is the record that keeps others, in any process, from making the
// same summary.
type leaseRecord struct {
	Until  time.Time `json:"until"`
	Holder string    `json:"holder,omitempty"` // a word that nobody else has
	Failed string    `json:"failed,omitempty"` // why: those who waited do not all try again
	Paid   bool      `json:"paid,omitempty"`   // the failure has cost something
}

// holds reports whether it is to be respected. One that would last longer than
// any, with room for clocks that differ, is of a clock that was set back.
func (l leaseRecord) holds(now time.Time) bool {
	longest := 2 * leaseTime
	if l.Failed != "" {
		longest = 2 * paidTime
	}
	return now.Before(l.Until) && l.Until.Sub(now) <= longest
}

func (l leaseRecord) encode() []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // a time and a string
	}
	return text
}

// leaseKey names the summary and no agent's path.
func (j summaryJob) leaseKey() string {
	text, err := json.Marshal([]any{j.w.owner.Tenant, j.w.owner.Agent, j.path.name, j.summarizer.key(j.version.Number)})
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(text)
	return leasePrefix + hex.EncodeToString(sum[:])
}

// A lease is one that this process holds.
type lease struct {
	svc    *Service
	key    string
	holder string

	mu       sync.Mutex // guards the following
	revision int64
	lost     bool
}

// errLost says that another one has the lease now.
var errLost = fmt.Errorf("another process makes this summary now: %w", ErrConflict)

// acquire takes the lease where nobody has it. Otherwise it is nil, and the record
// says until when, or how it failed: for who has waited, and where that has cost
// something. Another may try at once.
func (s *Service) acquire(ctx context.Context, key string, waited bool) (*lease, leaseRecord, error) {
	records := s.store.System(ctx)
	r, err := records.Get(key)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, leaseRecord{}, err
	}
	now := s.now() // not before the record was read, which may be younger
	var other leaseRecord
	if err == nil && json.Unmarshal(r.Value, &other) == nil && other.holds(now) && (waited || other.Paid || other.Failed == "") {
		return nil, other, nil
	}
	holder := rand.Text()
	revision, err := records.Put(key, leaseRecord{Until: now.Add(leaseTime), Holder: holder}.encode(), r.Revision)
	if errors.Is(err, ErrConflict) {
		return nil, leaseRecord{}, nil
	}
	if err != nil {
		return nil, leaseRecord{}, err
	}
	return &lease{svc: s, key: key, holder: holder, revision: revision}, leaseRecord{}, nil
}

// renew makes the lease last its whole time from now.
func (l *lease) renew(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		return errLost
	}
	err := l.put(ctx, leaseRecord{Until: l.svc.now().Add(leaseTime)})
	if errors.Is(err, ErrConflict) {
		l.lost = true
		return errLost
	}
	return err
}

// put replaces the record, which may be younger than it seemed: an answer of the
// store can be lost. It is called under the lock.
func (l *lease) put(ctx context.Context, next leaseRecord) error {
	next.Holder = l.holder
	records := l.svc.store.System(ctx)
	revision, err := records.Put(l.key, next.encode(), l.revision)
	if errors.Is(err, ErrConflict) && l.mine(records) {
		revision, err = records.Put(l.key, next.encode(), l.revision)
	}
	if err == nil {
		l.revision = revision
	}
	return err
}

// mine looks whether the record is this holder's, and takes its revision.
func (l *lease) mine(records Records) bool {
	r, err := records.Get(l.key)
	var now leaseRecord
	if err != nil || json.Unmarshal(r.Value, &now) != nil || now.Holder != l.holder {
		return false
	}
	l.revision = r.Revision
	return true
}

// beat renews the lease until ctx ends, and ends it with a lease that is lost.
func (l *lease) beat(ctx context.Context, cancel context.CancelFunc) {
	ticker := time.NewTicker(leaseBeat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if l.renew(ctx) == errLost {
				cancel()
				return
			}
		}
	}
}

func (l *lease) isLost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// end gives the lease back; with a failure, so that those who wait do not all
// try again. It quotes what somebody said, perhaps of the file, and does not stay
// while the process lives; of one that ended, the next summary's sweep removes it.
// Where that cannot be stored, the lease ends by itself.
func (l *lease) end(ctx context.Context, failed string, paid bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), landTime)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		return
	}
	l.lost = true
	if failed == "" {
		l.remove(ctx)
		return
	}
	lasts := failureTime
	if paid {
		lasts = paidTime
	}
	if l.put(ctx, leaseRecord{Until: l.svc.now().Add(lasts), Failed: failed, Paid: paid}) == nil {
		records, revision := l.svc.store.System(context.Background()), l.revision
		time.AfterFunc(lasts, func() { records.Delete(l.key, revision) }) // unless another one has it now
	}
}

func (l *lease) remove(ctx context.Context) {
	records := l.svc.store.System(ctx)
	if err := records.Delete(l.key, l.revision); errors.Is(err, ErrConflict) && l.mine(records) {
		records.Delete(l.key, l.revision)
	}
}

// sweepLeases removes what killed processes and failures have left.
func (s *Service) sweepLeases(ctx context.Context) {
	const most = 10
	records := s.store.System(ctx)
	list, err := records.List(leasePrefix)
	if err != nil {
		return
	}
	removed := 0
	for _, r := range list {
		var l leaseRecord
		if json.Unmarshal(r.Value, &l) == nil && l.holds(s.now()) {
			continue
		}
		records.Delete(r.Key, r.Revision)
		if removed++; removed == most {
			return
		}
	}
}

// A sharedFailure is that of another call, in its words.
type sharedFailure string

func (f sharedFailure) Error() string { return string(f) }
func (f sharedFailure) Unwrap() error { return ErrProvider }

// failure is the answer to who does not try.
func (l leaseRecord) failure(now time.Time) error {
	if !l.Paid {
		return sharedFailure(l.Failed)
	}
	wait := max(time.Second, l.Until.Sub(now).Round(time.Second))
	return sharedFailure(fmt.Sprintf("%s (it failed so just now and was paid for: it is asked again in %v)", l.Failed, wait))
}

// failureText is what others are told of a failure; "": nothing.
func failureText(err error) string {
	if !errors.Is(err, ErrProvider) {
		return ""
	}
	text := err.Error()
	const most = 300
	if len(text) > most {
		text = text[:most] + "..." // encoding/json mends a rune that is cut
	}
	return text
}

// lead makes the summary, or waits for the process that does.
func (j summaryJob) lead(ctx context.Context, f *flight, key string) (SummaryResult, error) {
	waited := false
	for look := firstLook; ; look = min(2*look, longestLook) {
		l, other, err := j.w.svc.acquire(ctx, key, waited)
		if err != nil {
			return SummaryResult{}, err
		}
		// Another one may have made it just before, or rewritten the file.
		kept, err := j.look(ctx)
		if l != nil && (err != nil || kept != nil) {
			l.end(ctx, "", false)
		}
		switch {
		case err != nil:
			return SummaryResult{}, err
		case kept != nil:
			return j.result(*kept), nil
		case l != nil:
			r, err := j.hold(ctx, f, l)
			if err != errLost {
				return r, err
			}
		case other.Failed != "":
			return SummaryResult{}, other.failure(j.w.svc.now())
		}
		waited = true
		select {
		case <-ctx.Done():
			return SummaryResult{}, ended(ctx)
		case <-time.After(look):
		}
	}
}

// hold makes the summary under the lease, which it gives back.
func (j summaryJob) hold(ctx context.Context, f *flight, l *lease) (SummaryResult, error) {
	svc := j.w.svc
	failed, paid := "the summarizer panicked", false
	defer func() { l.end(ctx, failed, paid) }()
	svc.sweepLeases(ctx)
	about := j.due()
	month := spendKey(j.w.owner, svc.now())
	if err := svc.charge(ctx, month, about, svc.summaryTokens); err != nil {
		failed = ""
		return SummaryResult{}, err
	}
	if !svc.flights.pay(f) {
		failed = ""
		j.settle(ctx, month, -about)
		return SummaryResult{}, context.Canceled // nobody hears it
	}
	made, spent, err := j.makeHolding(ctx, f, l)
	j.settle(ctx, month, spent-about)
	switch {
	case err != nil && l.isLost():
		return SummaryResult{}, errLost
	case err != nil && ctx.Err() != nil:
		err = ended(ctx)
	}
	if failed = ""; err != nil {
		failed, paid = failureText(err), spent > 0
		return SummaryResult{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), landTime)
	defer cancel()
	return j.keep(ctx, made)
}

// ended is why a flight could not go on: its time was over, or the service closed.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("it was stopped: %w", ErrClosed)
	}
	return errLate
}

// due is about what the summary will cost.
func (j summaryJob) due() int64 {
	if j.summarizer.Due != nil {
		return j.summarizer.Due(j.path.name, string(j.version.Content))
	}
	return int64(tokens.EstimateBytes(j.version.Content))
}

// makeHolding is make, while the lease is renewed.
func (j summaryJob) makeHolding(ctx context.Context, f *flight, l *lease) (Summary, int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { l.beat(ctx, cancel) })
	defer beat.Wait()
	defer cancel()
	extend := func(ctx context.Context) error {
		if err := l.renew(ctx); err == errLost {
			return err // other trouble of the store passes, or ends the lease
		}
		return ctx.Err()
	}
	return j.make(ctx, func(done, total int) { j.w.svc.flights.report(f, done, total) }, extend)
}
