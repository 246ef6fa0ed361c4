package summaries

import (
	"context"
	"errors"
	"strconv"
	"time"
)

const (
	spendPrefix = "spend/summary/"
	monthLayout = "2006-01"

	// addTries is how often a sum is written again after others have changed it.
	// Each time, one of them succeeds.
	addTries = 1000
)

// A budget counts the tokens that accounts spend in a month, in UTC. Each month of an
// account has a record.
type budget struct {
	system System
	now    func() time.Time
	limit  int64 // tokens that an account may spend in a month; 0: no limit
}

// A reservation is what a summary is expected to cost.
type reservation struct {
	budget *budget
	key    string
	tokens int64
}

// reserve counts the estimate as spent. Errors: [BudgetError], [DamagedError],
// [ErrBusy] and those of the records.
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
	records := b.system(ctx)
	for range addTries {
		r, err := records.Get(key)
		if err != nil {
			return err
		}
		var spent int64
		if r.Revision > 0 {
			if spent, err = strconv.ParseInt(string(r.Value), 10, 64); err != nil {
				if limit == 0 {
					return nil // the sum is not needed, and a record that cannot be read stays as it is
				}
				return &DamagedError{Key: key}
			}
		}
		if limit > 0 && spent+tokens > limit {
			return &BudgetError{Spent: spent, Limit: limit, Estimate: tokens}
		}
		_, ok, err := records.Put(key, strconv.AppendInt(nil, max(0, spent+tokens), 10), r.Revision)
		if err != nil {
			return err
		}
		if ok {
			if r.Revision == 0 {
				forgetOtherMonths(records, key)
			}
			return nil
		}
	}
	return ErrBusy
}

// forgetOtherMonths removes an account's records of long ago when a month begins.
// It also removes those of the far future, which came from a clock that was set back
// since. The month before and the month after stay: the clocks of other processes may
// be in them.
func forgetOtherMonths(records Records, key string) {
	prefix, month := key[:len(key)-len(monthLayout)], key[len(key)-len(monthLayout):]
	t, err := time.Parse(monthLayout, month)
	if err != nil {
		return
	}
	first, last := prefix+t.AddDate(0, -1, 0).Format(monthLayout), prefix+t.AddDate(0, 1, 0).Format(monthLayout)
	_ = forget(records, prefix, func(r Record) bool { return r.Key < first || r.Key > last })
}

// forget removes the records below a prefix that fn chooses. A record that is changed
// at the same time stays.
func forget(records Records, prefix string, fn func(Record) bool) error {
	list, err := records.List(prefix)
	for _, r := range list {
		if fn(r) {
			_, e := records.Delete(r.Key, r.Revision)
			err = errors.Join(err, e)
		}
	}
	return err
}
