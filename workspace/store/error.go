package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The kinds of error. Every error of a [Store], and of package workspace, wraps one of
// them, or the error of a context that ended, or both.
var (
	ErrNotFound    = errors.New("not found")
	ErrInvalid     = errors.New("invalid")
	ErrTooLarge    = errors.New("too large")
	ErrQuota       = errors.New("quota exceeded")
	ErrConflict    = errors.New("conflict")
	ErrCorrupt     = errors.New("corrupt")      // stored bytes are not what was written; nothing was changed
	ErrBusy        = errors.New("busy")         // the deadline came before the write began; nothing happened
	ErrStorageFull = errors.New("storage full") // nothing was stored; reads still work
	// ErrOutcomeUnknown says that the write may or may not be stored: read before writing again.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	ErrReadOnly       = errors.New("read-only")            // this store takes no writes; reads still work
	ErrUnsupported    = errors.New("unsupported")          // written by a newer version of this module, or not set up
	ErrProvider       = errors.New("the model's provider") // a summary was not made; nothing was changed
	ErrClosed         = errors.New("closed")
)

// Kind returns the kind of an error, or nil if it has none.
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

// An Error says why a call failed, in parts. [Error.Error] words it for Go programmers.
// A front end words it in its own terms with [Error.Text], and so never has to search or
// change a finished text.
type Error struct {
	Op     string // what was tried, such as "write" or "read log"; "" if that is not known yet
	Arg    Arg    // the argument that has Object as its value; 0 if Object is a file, a log, an agent or a store
	Object string // its name, as the caller gave it
	Kind   error  // one of the kinds above; nil if a context ended before anything happened
	Quota  *Quota // the limit that was met, with ErrQuota and ErrTooLarge; else nil
	Way    Way    // what the caller can do
	Err    error  // the error of the store, the context or the model that caused this one; nil if there is none

	format string // the cause; "" if Err is the cause
	args   []any
}

// A Quota is a limit that a call would have exceeded.
type Quota struct {
	Of    Resource
	Used  int64 // before the call
	Adds  int64 // what the call would have added
	Limit int64
}

// A Resource is what a [Quota] limits.
type Resource string

// The resources. All but the last two are an agent's own.
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

// An Overlap is in the chain of an [ErrConflict] that says that a file is in the way of
// another path: at that path, above it or below it. A program finds it by [errors.As].
type Overlap struct {
	Path    string    // of the file that is in the way
	Created time.Time // when it was created
}

func (o *Overlap) Error() string { return o.Path + " is in the way" }

// ErrArchived is in the chain of an [ErrReadOnly] that says that the agent is archived. The
// store takes the writes of others.
var ErrArchived = errors.New("archived")

// Errorf returns an error of a kind, for a backend or a front end. An [Arg] among
// the arguments gets the name that the reader of the error knows it by.
func Errorf(kind error, format string, args ...any) *Error {
	if false {
		_ = fmt.Sprintf(format, args...) // for go vet, which then checks the callers
	}
	return &Error{Kind: kind, format: format, args: args}
}

// CausedBy returns an error of a kind that another error caused. Its text does not contain
// that of the cause.
func CausedBy(cause, kind error, format string, args ...any) *Error {
	e := Errorf(kind, format, args...)
	e.Err = cause
	return e
}

// NotStarted returns the error of a call whose context ended before anything happened:
// [ErrBusy] for a deadline, else that of the context.
func NotStarted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return CausedBy(ctx.Err(), ErrBusy, "the deadline came before it could begin, nothing happened; try again")
	}
	return ctx.Err()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() (all []error) {
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}
