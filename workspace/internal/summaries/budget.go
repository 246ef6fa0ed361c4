package summaries

import (
	"context"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	spendPrefix = "spend/summary/"
	monthLayout = "2006-01"
)

// A budget counts the tokens that accounts spend in a month, in UTC. Each month of an
// account has a record.
type budget struct {
	system func(context.Context) store.Records
	now    func() time.Time
	limit  int64 // tokens that an account may spend in a month; 0: no limit
}

// A reservation is what a summary is expected to cost.
type reservation struct {
	budget *budget
	key    string
	tokens int64
}

// reserve counts the estimate as spent. Errors: [BudgetError], [DamagedError]
// and those of the records.
func (b *budget) reserve(ctx context.Context, account string, estimate int64) (reservation, error) {
	r := reservation{budget: b, key: b.key(account), tokens: estimate}
	return r, b.add(ctx, r.key, estimate, b.limit)
}

// settle replaces the estimate with what was spent.
func (r reservation) settle(ctx context.Context, spent int64) {
	r.budget.record(ctx, r.key, spent-r.tokens)
}

// record counts tokens that are spent already. An error is dropped: a summary that
// is paid for is not thrown away because it could not be counted.
func (b *budget) record(ctx context.Context, key string, tokens int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	_ = b.add(ctx, key, tokens, 0)
}

// key names the record of an account's current month.
func (b *budget) key(account string) string {
	return accountPrefix(account) + b.now().UTC().Format(monthLayout)
}

func accountPrefix(account string) string { return spendPrefix + account + "/" }

// add adds tokens to a record, unless the sum would exceed the limit; 0: no limit.
func (b *budget) add(ctx context.Context, key string, tokens, limit int64) error {
	shared := b.system(ctx)
	created, err := records.Update(shared, key, func(r store.Record) ([]byte, error) {
		var spent int64
		if r.Revision > 0 {
			var err error
			spent, err = strconv.ParseInt(string(r.Value), 10, 64)
			if err != nil && limit > 0 {
				return nil, &DamagedError{Key: key}
			}
			if err != nil {
				return nil, nil // the sum is not needed, and a record that cannot be read stays as it is
			}
		}
		if limit > 0 && spent+tokens > limit {
			return nil, &BudgetError{Spent: spent, Limit: limit, Estimate: tokens}
		}
		return strconv.AppendInt(nil, max(0, spent+tokens), 10), nil
	})
	if created {
		forgetOtherMonths(shared, key)
	}
	return err
}

// forgetOtherMonths removes an account's records of long ago when a month begins.
// It also removes those of the far future, which came from a clock that was set back
// since. The month before and the month after stay: the clocks of other processes may
// be in them.
func forgetOtherMonths(shared store.Records, key string) {
	prefix, month := key[:len(key)-len(monthLayout)], key[len(key)-len(monthLayout):]
	t, err := time.Parse(monthLayout, month)
	if err != nil {
		return
	}
	first, last := prefix+t.AddDate(0, -1, 0).Format(monthLayout), prefix+t.AddDate(0, 1, 0).Format(monthLayout)
	for r, err := range records.All(shared, prefix, "") {
		if err == nil && (r.Key < first || r.Key > last) {
			_, _ = records.Delete(shared, r) // the next month tries again
		}
	}
}
