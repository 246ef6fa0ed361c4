package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const chargeTries = 1000 // against others who charge the same record: one of them gets on each time

const spendMonth = "2006-01"

func spendPrefix(o Owner) string { return "spend/summary/" + o.String() + "/" }

// spendKey names what an agent has spent on summaries in a month.
func spendKey(o Owner, now time.Time) string { return spendPrefix(o) + now.UTC().Format(spendMonth) }

// dropOldSpend removes an agent's records of the months long past when one is new,
// and those of months to come, which a clock made that was set back since. The month
// before and the one after stay: other processes' clocks may be in them.
func dropOldSpend(records Records, key string) {
	prefix, month := key[:len(key)-len(spendMonth)], key[len(key)-len(spendMonth):]
	if t, err := time.Parse(spendMonth, month); err == nil {
		dropSpend(records, prefix, prefix+t.AddDate(0, -1, 0).Format(spendMonth), prefix+t.AddDate(0, 1, 0).Format(spendMonth))
	}
}

// dropSpend removes an agent's records of the months before one and after another
// one; "": all. One that is charged at the same time stays.
func dropSpend(records Records, prefix, first, last string) error {
	list, err := records.List(prefix)
	for _, r := range list {
		if first != "" && r.Key >= first && r.Key <= last {
			continue
		}
		if e := records.Delete(r.Key, r.Revision); !errors.Is(e, ErrNotFound) && !errors.Is(e, ErrConflict) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// charge adds tokens to what a record says is spent; [ErrQuota] where that goes
// over the limit; 0: there is none.
func (s *Service) charge(ctx context.Context, key string, tokens, limit int64) error {
	records := s.store.System(ctx)
	for range chargeTries {
		var spent int64
		r, err := records.Get(key)
		if err == nil {
			spent, err = strconv.ParseInt(string(r.Value), 10, 64)
			if err != nil && limit == 0 {
				return nil // nobody asks, and it is not overwritten
			}
			if err != nil {
				return fmt.Errorf("what this agent has spent on summaries this month cannot be read in the record %s; use read_file: %w", key, ErrCorrupt)
			}
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		if limit > 0 && spent+tokens > limit {
			return fmt.Errorf("this agent has spent %d of %d tokens for summaries this month, and this one takes about %d; use read_file: %w",
				spent, limit, tokens, ErrQuota)
		}
		_, err = records.Put(key, strconv.AppendInt(nil, max(0, spent+tokens), 10), r.Revision)
		if err == nil && r.Revision == 0 {
			dropOldSpend(records, key)
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("counting the tokens of a summary: %w", ErrBusy)
}

// settle corrects what was charged. A text that is paid is not thrown away
// because it could not be counted.
func (j summaryJob) settle(ctx context.Context, key string, tokens int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), landTime)
	defer cancel()
	j.w.svc.charge(ctx, key, tokens, 0)
}
