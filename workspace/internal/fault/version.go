package fault

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Readable refuses a version that is not retained, or is redacted. v is what was loaded for
// it. The error names no other version of a deleted file, because those may be redacted too.
func Readable(h store.FileHead, v store.Version, n int64) error {
	if err := Kept(h, v, n); err != nil || v.Redacted == nil {
		return err
	}
	at := v.Redacted.Time.UTC().Format(time.RFC3339)
	e := store.Errorf(store.ErrNotFound, "version %d was redacted at %s, its content is gone for good", n, at)
	if h.Deleted {
		return e
	}
	return Or(e, store.DoUseVersion, h.Last())
}

// Kept refuses a version that is not retained. v is what was loaded for it.
func Kept(h store.FileHead, v store.Version, n int64) error {
	if v.Number == n {
		return nil
	}
	numbers := h.Numbers()
	if len(numbers) == 1 {
		return Or(store.Errorf(store.ErrNotFound, "version %d is not kept, only version %d is", n, numbers[0]),
			store.DoUseVersion, numbers[0])
	}
	kept, first := "", 0
	for i, number := range numbers {
		if i+1 < len(numbers) && numbers[i+1] == number+1 {
			continue
		}
		if kept != "" {
			kept += " and "
		}
		if kept += fmt.Sprint(numbers[first]); first < i {
			kept += fmt.Sprintf(" to %d", number)
		}
		first = i + 1
	}
	return Or(store.Errorf(store.ErrNotFound, "version %d is not kept, versions %s are", n, kept),
		store.DoUseVersion, h.Last())
}
