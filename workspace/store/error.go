package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The kinds of error. Every error of a [Store] and of package workspace wraps a kind, or the
// error of a context that ended, or both.
var (
	ErrNotFound    = errors.New("not found")
	ErrInvalid     = errors.New("invalid")
	ErrTooLarge    = errors.New("too large")
	ErrQuota       = errors.New("quota exceeded")
	ErrConflict    = errors.New("conflict")
	ErrCorrupt     = errors.New("corrupt")      // the stored bytes are not those that were written; nothing was changed
	ErrBusy        = errors.New("busy")         // the deadline came before the call began; nothing happened
	ErrStorageFull = errors.New("storage full") // nothing was stored; reads still work
	// ErrOutcomeUnknown means that the write may or may not be stored. Read before writing again.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	ErrReadOnly       = errors.New("read-only")            // the store or the agent takes no writes; reads still work
	ErrUnsupported    = errors.New("unsupported")          // needs a newer version of this module, or is not set up
	ErrProvider       = errors.New("the model's provider") // a summary was not made; nothing was changed
	ErrClosed         = errors.New("closed")
)

// Kind returns the kind of an error, or nil if the error has none. If an error wraps several
// kinds, Kind returns the first in the order above.
func Kind(err error) error {
	for _, kind := range []error{
		ErrNotFound, ErrInvalid, ErrTooLarge, ErrQuota, ErrConflict, ErrCorrupt, ErrBusy, ErrStorageFull,
		ErrOutcomeUnknown, ErrReadOnly, ErrUnsupported, ErrProvider, ErrClosed,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return nil
}

// An Error says in parts why a call failed. [Error.Error] words these parts for Go
// programmers. A front end words them in its own terms with [Error.Text], so that it never has
// to search or change a finished text.
type Error struct {
	Op     string // the operation that failed, such as "write" or "read log"; "" if it is not known
	Arg    Arg    // the argument whose value is Object; 0 if Object is a file, a log, an agent or a store
	Object string // the name of the object, as the caller gave it
	Kind   error  // one of the kinds above; nil if a context ended before anything happened
	Quota  *Quota // the limit that the call would have exceeded, with ErrQuota and ErrTooLarge; nil: not known
	Way    Way    // what the caller can do
	Err    error  // the error of the store, the context or the model that caused this one; nil: none

	format string // the cause; "" if Err is the cause
	args   []any
}

// A Quota is a limit that a call would have exceeded.
type Quota struct {
	Of    Resource
	Used  int64 // before the call, in the unit of the Resource
	Adds  int64 // how much the call would have added
	Limit int64
}

// A Resource is the thing that a [Quota] limits, with its unit.
type Resource string

// The resources. StoreAgents and StoreBytes limit all agents of a tenant together. All other
// resources limit each agent.
const (
	FileBytes     Resource = "bytes of a file"
	EntryBytes    Resource = "bytes of an entry"
	FileCount     Resource = "files"
	LogCount      Resource = "logs"
	EntryCount    Resource = "entries"
	AgentBytes    Resource = "bytes"
	SummaryTokens Resource = "tokens for summaries in a month"
	StoreAgents   Resource = "agents of the store"
	StoreBytes    Resource = "bytes of the store"
)

// An Overlap is in the chain of an [ErrConflict] if a file is in the way of another path: at
// that path, above it or below it. A program finds the Overlap with [errors.As].
type Overlap struct {
	Path    string    // of the file that is in the way
	Created time.Time // when that file was created
}

// Error returns a text that names the path.
func (o *Overlap) Error() string { return o.Path + " is in the way" }

// A Deletion is in the chain of an [ErrNotFound] if there is no file at the path, but one that was
// deleted and can be restored. A program finds the Deletion with [errors.As].
type Deletion struct {
	Path    string
	Deleter Author    // who deleted the file
	Time    time.Time // of the deletion
	Last    int64     // the newest retained version that is not redacted
	Until   time.Time // until when the retained versions can be read and restored
}

// Error returns a text that names the path.
func (d *Deletion) Error() string { return d.Path + " was deleted" }

// ErrArchived is in the chain of an [ErrReadOnly] if the agent is archived. The store takes
// writes of other agents.
var ErrArchived = errors.New("archived")

// Errorf returns an error of a kind, for a backend or a front end. The text follows format, as
// in [fmt.Sprintf]. If an argument is an [Arg], [Error.Text] replaces it with the name that
// the Arg has in the front end.
func Errorf(kind error, format string, args ...any) *Error {
	if false {
		_ = fmt.Sprintf(format, args...) // for go vet, which then checks the callers
	}
	return &Error{Kind: kind, format: format, args: args}
}

// CausedBy returns an error like [Errorf] that also wraps cause. The text of the error does
// not contain the text of cause.
func CausedBy(cause, kind error, format string, args ...any) *Error {
	e := Errorf(kind, format, args...)
	e.Err = cause
	return e
}

// NotStarted returns the error of a call whose context ended before anything happened:
// [ErrBusy] for a deadline, else the error of the context. If ctx has not ended, NotStarted
// returns nil.
func NotStarted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return CausedBy(ctx.Err(), ErrBusy, "the deadline came before it could begin, nothing happened; try again")
	}
	return ctx.Err()
}

// Unwrap returns Kind and Err, without those that are nil.
func (e *Error) Unwrap() (all []error) {
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}
