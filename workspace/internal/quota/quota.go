// Package quota refuses what would take an agent over its limits.
package quota

import (
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Limits are those of an agent.
type Limits struct{ Files, Logs, Entries, Bytes int64 }

// Check refuses a change that takes the usage further over a limit. It accepts a
// change that makes a usage over a limit smaller.
func (l Limits) Check(before, after store.OwnerState) error {
	for _, q := range []struct {
		of                   store.Resource
		what                 string
		limit, before, after int64
	}{
		{store.FileCount, "file", l.Files, before.Files, after.Files},
		{store.LogCount, "log", l.Logs, before.Logs, after.Logs},
		{store.EntryCount, "entry", l.Entries, before.Entries, after.Entries},
	} {
		if q.after > q.limit && q.after > q.before {
			verb := "reached"
			if q.before < q.limit {
				verb = "exceeded"
			}
			quota := store.Quota{Of: q.of, Used: q.before, Adds: q.after - q.before, Limit: q.limit}
			return fault.Or(Exceeded(quota, "%s limit %s (%d of %d), this write adds %d", q.what, verb, quota.Used, quota.Limit, quota.Adds), store.DoDelete, 0)
		}
	}
	if was, is := Charged(before), Charged(after); is > l.Bytes && is > was {
		quota := store.Quota{Of: store.TotalBytes, Used: was, Adds: is - was, Limit: l.Bytes}
		return fault.Or(Exceeded(quota, "%d bytes of %d are used (%d of content and %d for its rows), this write adds %d (%d and %d)",
			was, l.Bytes, before.Bytes, before.Charge(), is-was, after.Bytes-before.Bytes, after.Charge()-before.Charge()), store.DoDelete, 0)
	}
	return nil
}

// Exceeded returns the error of a change that has no room.
func Exceeded(q store.Quota, cause string, args ...any) *store.Error {
	return fault.Over(store.Errorf(store.ErrQuota, cause, args...), q)
}

// Charged returns what counts against Limits.Bytes.
func Charged(s store.OwnerState) int64 { return s.Bytes + s.Charge() }
