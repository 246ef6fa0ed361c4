// Package imports checks what was kept elsewhere and is stored here.
package imports

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// maxNumber is the highest number of a version or an entry that an import may give. It
// leaves room for the numbers that follow.
const maxNumber = 1 << 40

// Time checks the number and the time of what is imported. It returns the time as
// a store keeps it. skew is how far the clocks of processes may be apart.
func Time(path string, n, want int64, at, now time.Time, skew time.Duration) (time.Time, error) {
	switch {
	case n != want:
		return at, fault.New(store.ErrInvalid, "import", path, "number %d follows %d; the numbers must be consecutive", n, want-1)
	case n < 1 || n > maxNumber:
		return at, fault.New(store.ErrInvalid, "import", path, "the number %d is not one of 1 to 2^40", n)
	case at.After(now.Add(skew)):
		return at, fault.New(store.ErrInvalid, "import", path, "number %d is of %s, which is in the future; set the clock of this machine", n, at.Format(time.RFC3339))
	case at.IsZero():
		return now, nil
	}
	return at.UTC().Truncate(time.Microsecond), nil
}

// NotBefore returns the entries with times that do not go back, also not behind the
// newest entry of the log.
func NotBefore(entries, newest []store.Entry) []store.Entry {
	entries = append([]store.Entry(nil), entries...) // the caller may run again
	var last time.Time
	for _, e := range newest {
		last = e.Time
	}
	for i := range entries {
		if entries[i].Time.Before(last) {
			entries[i].Time = last
		}
		last = entries[i].Time
	}
	return entries
}
