// Package condition checks what a caller expects of a file.
package condition

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Check refuses if the file is not at the version that the caller expects.
func Check(h store.FileHead, ifVersion *int64) error {
	if ifVersion == nil {
		return nil
	}
	want := *ifVersion
	switch {
	case !h.Exists() && want == 0:
		return nil
	case !h.Exists():
		return fault.Or(store.Errorf(store.ErrConflict, "it does not exist, %s is %d", store.ArgIfVersion, want), store.DoExpectNone, 0)
	case want == 0:
		e := fault.Or(store.Errorf(store.ErrConflict, "it exists at version %d, %s is 0", h.Version, store.ArgIfVersion), store.DoRead, 0)
		e.Err = &store.Overlap{Path: h.Path, Created: h.Created}
		return e
	case want > h.Version:
		return fault.Or(store.Errorf(store.ErrConflict, "it is at version %d, %s is %d, which it never had", h.Version, store.ArgIfVersion, want), store.DoRead, 0)
	case want != h.Version:
		return fault.Or(store.Errorf(store.ErrConflict, "it is at version %d, %s is %d", h.Version, store.ArgIfVersion, want), store.DoReadSince, want)
	}
	return nil
}

// Readable refuses a version that is not retained, or is redacted. v is what was loaded for
// it.
func Readable(h store.FileHead, v store.Version, n int64) error {
	if err := Kept(h, v, n); err != nil || v.Redacted == nil {
		return err
	}
	at := v.Redacted.Time.UTC().Format(time.RFC3339)
	return fault.Or(store.Errorf(store.ErrNotFound, "version %d was redacted at %s, its content is gone for good", n, at), store.DoUseVersion, h.Version)
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
	return fault.Or(store.Errorf(store.ErrNotFound, "version %d is not kept, %s", n, kept), store.DoUseVersion, h.Version)
}
