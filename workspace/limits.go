package workspace

import (
	"reflect"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Limits limit what an agent keeps. A zero field takes its default. [New] refuses a
// negative field.
type Limits struct {
	FileBytes  int64 // of one version of a file; default 1 MiB
	EntryBytes int64 // of one entry of a log; default 64 KiB
	Versions   int64 // that are retained of a file; default 10
	Files      int64 // default 1,000
	Logs       int64 // default 1,000
	Entries    int64 // in all logs of the agent; default 100,000
	// Bytes of all retained versions, entries and summaries, and the charge for their rows;
	// default 100,000,000.
	Bytes int64

	// Changes are the rows that the journal of changes keeps; default 10,000. Later
	// writes remove older ones. They do not count against Bytes. Up to 99 more rows can
	// be stored than are kept.
	Changes int64
}

// DefaultLimits are the limits that the zero Limits stands for.
func DefaultLimits() Limits {
	return Limits{
		FileBytes: 1 << 20, EntryBytes: 64 << 10, Versions: 10,
		Files: 1000, Logs: 1000, Entries: 100_000, Bytes: 100_000_000, Changes: 10_000,
	}
}

func (l Limits) withDefaults() (Limits, error) {
	limits, defaults := reflect.ValueOf(&l).Elem(), reflect.ValueOf(DefaultLimits())
	for i := range limits.NumField() {
		switch f := limits.Field(i); {
		case f.Int() < 0:
			return Limits{}, fail(ErrInvalid, "limit", limits.Type().Field(i).Name, "%d is negative", f.Int())
		case f.Int() == 0:
			f.Set(defaults.Field(i))
		}
	}
	return l, nil
}

// checkQuota refuses a change that takes the usage further over a limit. It accepts a
// change that makes a usage over a limit smaller.
func (l Limits) checkQuota(before, after store.OwnerState) error {
	for _, q := range []struct {
		of                   Resource
		what                 string
		limit, before, after int64
	}{
		{FileCount, "file", l.Files, before.Files, after.Files},
		{LogCount, "log", l.Logs, before.Logs, after.Logs},
		{EntryCount, "entry", l.Entries, before.Entries, after.Entries},
	} {
		if q.after > q.limit && q.after > q.before {
			verb := "reached"
			if q.before < q.limit {
				verb = "exceeded"
			}
			quota := Quota{Of: q.of, Used: q.before, Adds: q.after - q.before, Limit: q.limit}
			return or(fault.Exceeded(quota, "%s limit %s (%d of %d), this write adds %d", q.what, verb, quota.Used,
				quota.Limit, quota.Adds), DoDelete, 0)
		}
	}
	if was, is := charged(before), charged(after); is > l.Bytes && is > was {
		quota := Quota{Of: AgentBytes, Used: was, Adds: is - was, Limit: l.Bytes}
		return or(fault.Exceeded(quota, "%d bytes of %d are used (%d of content and %d for its rows), this write "+
			"adds %d (%d and %d)",
			was, l.Bytes, before.Bytes, before.Charge(), is-was, after.Bytes-before.Bytes,
			after.Charge()-before.Charge()), DoDelete, 0)
	}
	return nil
}

// charged returns what counts against [Limits.Bytes].
func charged(s store.OwnerState) int64 { return s.Bytes + s.Charge() }
