package summaries

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

const (
	leasePrefix = "lease/summary/"

	leaseTime   = 90 * time.Second // of a lease that is not renewed, because its process was killed
	renewEvery  = leaseTime / 3
	failureTime = 3 * time.Second  // for which those who waited can read a failure
	paidTime    = 30 * time.Second // for which a failure that used tokens is the answer to all
	failureSize = 300              // bytes of a failure's text that are kept
	sweepCount  = 10               // old leases that one summary removes at most
)

// leaseRecord is the value of the record that keeps other processes from making the
// same summary.
type leaseRecord struct {
	Until  time.Time `json:"until"`
	Holder string    `json:"holder,omitempty"` // random, of one lease alone
	Failed string    `json:"failed,omitempty"` // the holder's failure; "": it still works
	Paid   bool      `json:"paid,omitempty"`   // the failure has used tokens
}

// holds reports whether the lease is still valid. A lease that would last much longer
// than any comes from a clock that was set back since, and is not.
func (l leaseRecord) holds(now time.Time) bool {
	longest := 2 * leaseTime // twice, because clocks differ
	if l.Failed != "" {
		longest = 2 * paidTime
	}
	return now.Before(l.Until) && l.Until.Sub(now) <= longest
}

// failure returns the failure as the answer to another caller.
func (l leaseRecord) failure(now time.Time) error {
	e := &FailedError{Text: l.Failed}
	if l.Paid {
		e.RetryIn = max(time.Second, l.Until.Sub(now).Round(time.Second))
	}
	return e
}

func (l leaseRecord) encode() []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // a time and strings
	}
	return text
}

// leaseKey names the record of a summary. It does not show the summary's ID.
func leaseKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return leasePrefix + hex.EncodeToString(sum[:])
}

// A lease is a lease that this process holds.
type lease struct {
	system records.System
	now    func() time.Time
	key    string
	holder string

	mu       sync.Mutex // guards the following
	revision int64
	lost     bool // also after end
}

// acquire takes the lease if nobody has it. Otherwise the lease is nil, and other is
// what its holder has written; zero: another process was faster, try again.
//
// A failure of the last holder counts as held only for callers that have waited for
// it, or if it has used tokens. Other callers may try at once.
func (m *Maker[R]) acquire(ctx context.Context, key string, waited bool) (l *lease, other leaseRecord, err error) {
	shared := m.system(ctx)
	r, err := shared.Get(key)
	if err != nil {
		return nil, leaseRecord{}, err
	}
	now := m.now() // after Get, so that it is not older than the record
	if r.Revision > 0 && json.Unmarshal(r.Value, &other) == nil && other.holds(now) && (waited || other.Paid || other.Failed == "") {
		return nil, other, nil
	}
	holder := rand.Text()
	revision, ok, err := shared.Put(key, leaseRecord{Until: now.Add(leaseTime), Holder: holder}.encode(), r.Revision)
	if err != nil || !ok {
		return nil, leaseRecord{}, err
	}
	return &lease{system: m.system, now: m.now, key: key, holder: holder, revision: revision}, leaseRecord{}, nil
}

// renew makes the lease last its whole time from now. The error is [ErrLost] once
// another process has the lease.
func (l *lease) renew(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		return ErrLost
	}
	ok, err := l.put(ctx, leaseRecord{Until: l.now().Add(leaseTime)})
	if err != nil {
		return err
	}
	if !ok {
		l.lost = true
		return ErrLost
	}
	return nil
}

// put replaces the record. Its revision may be newer than the lease knows, because an
// answer of the store can be lost. The caller holds l.mu.
func (l *lease) put(ctx context.Context, next leaseRecord) (ok bool, err error) {
	next.Holder = l.holder
	shared := l.system(ctx)
	revision, ok, err := shared.Put(l.key, next.encode(), l.revision)
	if err == nil && !ok && l.refresh(shared) {
		revision, ok, err = shared.Put(l.key, next.encode(), l.revision)
	}
	if err == nil && ok {
		l.revision = revision
	}
	return ok, err
}

// refresh takes the record's revision, and reports false if the record is another
// holder's. The caller holds l.mu.
func (l *lease) refresh(shared records.Records) bool {
	r, err := shared.Get(l.key)
	var now leaseRecord
	if err != nil || json.Unmarshal(r.Value, &now) != nil || now.Holder != l.holder {
		return false
	}
	l.revision = r.Revision
	return true
}

// keepRenewed renews the lease until ctx ends. If the lease is lost, it calls cancel.
func (l *lease) keepRenewed(ctx context.Context, cancel context.CancelFunc) {
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if l.renew(ctx) == ErrLost {
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

// end gives the lease back. A failure stays in the record for a while, so that those
// who wait do not all try again. Its text may quote the file, so this process removes
// it in time; if the process ends before, the next summary removes it. If the store
// does not take the change, the lease ends by itself.
func (l *lease) end(ctx context.Context, failed string, paid bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
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
	if len(failed) > failureSize {
		failed = failed[:failureSize] + "..." // encoding/json replaces a character that is cut
	}
	if ok, err := l.put(ctx, leaseRecord{Until: l.now().Add(lasts), Failed: failed, Paid: paid}); ok && err == nil {
		shared, revision := l.system(context.Background()), l.revision
		time.AfterFunc(lasts, func() { _, _ = shared.Delete(l.key, revision) }) // unless it has another holder by then
	}
}

// remove deletes the record. The caller holds l.mu.
func (l *lease) remove(ctx context.Context) {
	shared := l.system(ctx)
	if ok, err := shared.Delete(l.key, l.revision); !ok && err == nil && l.refresh(shared) {
		_, _ = shared.Delete(l.key, l.revision)
	}
}

// sweepLeases removes a few leases that killed processes and failures have left.
func (m *Maker[R]) sweepLeases(ctx context.Context) {
	left := sweepCount
	now := m.now()
	_ = records.DeleteIf(m.system(ctx), leasePrefix, func(r records.Record) bool {
		var l leaseRecord
		if left == 0 || json.Unmarshal(r.Value, &l) == nil && l.holds(now) {
			return false
		}
		left--
		return true
	})
}
