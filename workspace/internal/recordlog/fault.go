package recordlog

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Fault is why a journal cannot go on.
type Fault struct {
	Kind    FaultKind
	Reading bool   // else appending
	Text    string // "" with Ended

	Size, Limit int64 // of an entry in bytes, with TooLarge
	Err         error // that of package conversation or of the context; nil: none
}

// A FaultKind is a kind of [Fault].
type FaultKind int

const (
	Invalid  FaultKind = iota // an entry or a record is wrong
	TooLarge                  // the limit of an entry is too small for a record
	Gone                      // an entry was removed while the log was read
	Ended                     // the context has ended
)

// Of returns the fault as an error of the log at a path. op is what was done to the log.
func (f Fault) Of(op, path string) error {
	switch {
	case f.Kind == TooLarge:
		return fault.New(store.ErrTooLarge, op, path, "%s", f.Text)
	case f.Kind == Gone:
		return fault.New(store.ErrConflict, op, path, "%s", f.Text)
	case f.Kind == Ended:
		return fault.Within(op, path, f.Err)
	case f.Err != nil:
		return fault.Within(op, path, fmt.Errorf("%s: %w", f.Text, invalidRecord{f.Err}))
	}
	return fault.New(store.ErrInvalid, op, path, "%s", f.Text)
}

// invalidRecord is an error of package conversation that also has a kind.
type invalidRecord struct{ error }

func (e invalidRecord) Unwrap() error { return e.error }

func (e invalidRecord) Is(target error) bool { return target == store.ErrInvalid }
