package summaries

import (
	"context"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// What an owner spends in a month is the record "spend/summary/TENANT/AGENT/2006-01", a
// number of tokens.

func prefix(o store.Owner) string { return "spend/summary/" + o.String() + "/" }

func key(o store.Owner, month time.Time) string { return prefix(o) + month.Format("2006-01") }

// month returns the first moment of the present month, in UTC.
func (m *Maker) month() time.Time {
	now := m.now().UTC()
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// Forget removes what an owner has spent.
func (m *Maker) Forget(ctx context.Context, o store.Owner) error {
	return records.DeleteAll(m.system(ctx), prefix(o))
}

// Spent returns what an owner has spent in the present month, the month's first moment, and
// the limit. Errors: [store.ErrCorrupt] and those of the records.
func (m *Maker) Spent(ctx context.Context, o store.Owner) (month time.Time, tokens, limit int64, err error) {
	month = m.month()
	r, err := records.Get(m.system(ctx), key(o, month))
	if err == nil {
		tokens, err = spent(r)
	}
	return month, tokens, m.limit, err
}

// countSpent counts tokens that are spent already. An error is dropped: a summary that
// is paid for is not thrown away because it could not be counted.
func (m *Maker) countSpent(ctx context.Context, o store.Owner, month time.Time, tokens int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	_ = m.spend(ctx, o, month, tokens, 0)
}

// spend adds tokens to what an owner has spent in a month, unless the sum would exceed the
// limit; 0: no limit. When a month begins, it removes the records of those before the last
// one. Errors: [store.ErrQuota], [store.ErrCorrupt] and those of the records.
func (m *Maker) spend(ctx context.Context, o store.Owner, month time.Time, tokens, limit int64) error {
	shared := m.system(ctx)
	created, err := records.Update(shared, key(o, month), func(r store.Record) ([]byte, error) {
		sum, err := spent(r)
		switch {
		case err != nil && limit == 0:
			return nil, nil // the sum is not needed, and a record that cannot be read stays as it is
		case err != nil:
			return nil, err
		case limit > 0 && sum+tokens > limit:
			met := store.Quota{Of: store.SummaryTokens, Used: sum, Adds: tokens, Limit: limit}
			return nil, fault.Or(fault.Exceeded(met, "this agent has spent %d of %d tokens for summaries this month, "+
				"and this one takes about %d", sum, limit, tokens), store.DoReadFile, 0)
		}
		return strconv.AppendInt(nil, max(0, sum+tokens), 10), nil
	})
	if created {
		for r, err := range records.All(shared, prefix(o), "") {
			if err == nil && r.Key < key(o, month.AddDate(0, -1, 0)) {
				_, _ = records.Delete(shared, r) // the next month tries again
			}
		}
	}
	return err
}

func spent(r store.Record) (int64, error) {
	if r.Revision == 0 {
		return 0, nil
	}
	tokens, err := strconv.ParseInt(string(r.Value), 10, 64)
	if err != nil {
		err = fault.Or(store.Errorf(store.ErrCorrupt,
			"what this agent has spent on summaries this month cannot be read in the record %s", r.Key),
			store.DoReadFile, 0)
	}
	return tokens, err
}
