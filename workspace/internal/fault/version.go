package fault

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Readable refuses a version that is not retained, or is redacted. v is what was loaded for
// it.
func Readable(h store.FileHead, v store.Version, n int64) error {
	if err := Kept(h, v, n); err != nil || v.Redacted == nil {
		return err
	}
	at := v.Redacted.Time.UTC().Format(time.RFC3339)
	return Or(store.Errorf(store.ErrNotFound, "version %d was redacted at %s, its content is gone for good", n, at),
		store.DoUseVersion, h.Version)
}

// Kept refuses a version that is not retained. v is what was loaded for it.
func Kept(h store.FileHead, v store.Version, n int64) error {
	if v.Number == n {
		return nil
	}
	kept := fmt.Sprintf("versions %d to %d are", h.Oldest(), h.Version)
	if h.Oldest() == h.Version {
		kept = fmt.Sprintf("only version %d is", h.Version)
	}
	return Or(store.Errorf(store.ErrNotFound, "version %d is not kept, %s", n, kept), store.DoUseVersion, h.Version)
}
