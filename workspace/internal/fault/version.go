package fault

import (
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
	first, last, gaps := numbers[0], h.Last(), ""
	if int64(len(numbers)) <= last-first {
		gaps = ", with gaps"
	}
	return Or(store.Errorf(store.ErrNotFound, "version %d is not kept, versions %d to %d are%s", n, first, last, gaps),
		store.DoUseVersion, last)
}
