package workspace

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Limits limit how much each agent keeps. A zero field takes its default. [New] refuses a
// negative field. [AllLimits] describes the fields.
type Limits struct {
	FileBytes  int64 // bytes of one version of a file; default 1 MiB
	EntryBytes int64 // bytes of one entry of a log; default 64 KiB
	Versions   int64 // retained versions of a file; default 10; a write removes older ones
	Files      int64 // default 1,000
	Logs       int64 // default 1,000
	Entries    int64 // entries in all logs of the agent; default 100,000
	// Bytes limits the bytes of all retained versions, entries and summaries, and the charge
	// for their rows; default 100,000,000.
	Bytes int64

	// Changes is how many rows the journal of changes keeps; default 10,000. Later writes
	// remove older rows. Rows do not count against Bytes. The store may hold up to 99 more
	// rows than the journal keeps.
	Changes int64
}

// A Limit describes a field of [Limits] or [StoreLimits], for programs that offer or show all
// limits.
type Limit struct {
	Name    string         // such as file-bytes
	Of      store.Resource // that a Quota names if a call would exceed the limit; "": writes remove old rows
	Default int64
	Help    string // a sentence that says what is limited
}

// Key returns the name that the limit has in JSON records of usage, such as max_file_bytes.
func (l Limit) Key() string { return "max_" + strings.ReplaceAll(l.Name, "-", "_") }

// A limitRow is a limit of an agent. Each write checks those with used.
type limitRow struct {
	Limit
	one, title string             // of what is counted: in an error, and as a heading
	used       func(*Usage) int64 // how many the agent has; nil if writes do not count them
}

// limits has a row for each field of Limits, in order. The defaults, the checks of quotas, the
// flags with their help, and the records and tables of usage are made from it.
var limits = []limitRow{
	{Limit: Limit{"file-bytes", store.FileBytes, 1 << 20, "Bytes of one version of a file."}},
	{Limit: Limit{"entry-bytes", store.EntryBytes, 64 << 10, "Bytes of one log entry."}},
	{Limit: Limit{"versions", "", 10, "Versions that are kept of each file; older ones are removed."}},
	{Limit{"files", store.FileCount, 1000, "Files of each agent."},
		"file", "Files", func(u *Usage) int64 { return u.Files }},
	{Limit{"logs", store.LogCount, 1000, "Logs of each agent."},
		"log", "Logs", func(u *Usage) int64 { return u.Logs }},
	{Limit{"entries", store.EntryCount, 100_000, "Log entries of each agent."},
		"entry", "Log entries", func(u *Usage) int64 { return u.Entries }},
	{Limit: Limit{"bytes", store.AgentBytes, 100_000_000,
		"Bytes of each agent: all kept versions, entries and summaries, and a charge for each of them."}},
	{Limit: Limit{"changes", "", 10_000, "Changes that the journal of each agent keeps; older ones are removed."}},
}

// storeLimits has a row for each field of StoreLimits, in order.
var storeLimits = []Limit{
	{"agents", store.StoreAgents, 10_000, "Agents in the database."},
	{"total-bytes", store.StoreBytes, 10_000_000_000, "Bytes of all agents together."},
}

// AllLimits returns the limits of an agent, in the order of the fields of [Limits], and then
// those of [StoreLimits].
func AllLimits() (all []Limit) {
	for _, l := range limits {
		all = append(all, l.Limit)
	}
	return append(all, storeLimits...)
}

// DefaultLimits returns the limits that the zero Limits stands for.
func DefaultLimits() (l Limits) {
	for i := range limits {
		l.field(i).SetInt(limits[i].Default)
	}
	return l
}

// field returns the field of a row of limits.
func (l *Limits) field(row int) reflect.Value { return reflect.ValueOf(l).Elem().Field(row) }

func (l Limits) withDefaults() (Limits, error) {
	for i := range limits {
		switch f := l.field(i); {
		case f.Int() < 0:
			return Limits{}, fail(ErrInvalid, "limit", reflect.TypeOf(l).Field(i).Name, "%d is negative", f.Int())
		case f.Int() == 0:
			f.SetInt(limits[i].Default)
		}
	}
	return l, nil
}

// checkQuota refuses a change that takes the usage further over a limit. It accepts a
// change that makes a usage over a limit smaller.
func (l Limits) checkQuota(before, after store.OwnerState) error {
	for i, of := range limits {
		if of.used == nil {
			continue
		}
		limit, was, is := l.field(i).Int(), of.used(&before.Usage), of.used(&after.Usage)
		if is > limit && is > was {
			verb := "reached"
			if was < limit {
				verb = "exceeded"
			}
			quota := Quota{Of: of.Of, Used: was, Adds: is - was, Limit: limit}
			return or(fault.Exceeded(quota, "%s limit %s (%d of %d), this write adds %d", of.one, verb, quota.Used,
				quota.Limit, quota.Adds), store.DoDelete, 0)
		}
	}
	if was, is := charged(before), charged(after); is > l.Bytes && is > was {
		quota := Quota{Of: store.AgentBytes, Used: was, Adds: is - was, Limit: l.Bytes}
		deleted, do := "", store.DoDelete
		if before.DeletedBytes > 0 {
			deleted = fmt.Sprintf(", and %d are of deleted files", before.DeletedBytes)
		}
		if is-before.DeletedBytes <= l.Bytes {
			do = store.DoDropDeleted
		}
		return or(fault.Exceeded(quota, "%d bytes of %d are used (%d of content and %d for its rows), this write "+
			"adds %d (%d and %d)%s",
			was, l.Bytes, before.Bytes, before.Charge(), is-was, after.Bytes-before.Bytes,
			after.Charge()-before.Charge(), deleted), do, 0)
	}
	return nil
}

// charged returns what counts against [Limits.Bytes].
func charged(s store.OwnerState) int64 { return s.Bytes + s.Charge() }
