package workspace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The kinds of error. An error of a [Workspace], a [Service] or a [Store] wraps
// one of them, with that of the context where its end is the cause, or that of
// the context alone; the text around it names the operation, the object, the
// cause and the way out.
var (
	ErrNotFound       = errors.New("not found")
	ErrInvalid        = errors.New("invalid")
	ErrTooLarge       = errors.New("too large")
	ErrQuota          = errors.New("quota exceeded")
	ErrConflict       = errors.New("conflict")
	ErrCorrupt        = errors.New("corrupt")              // stored bytes are not what was written; nothing was changed
	ErrBusy           = errors.New("busy")                 // the deadline came before the write began; nothing happened
	ErrStorageFull    = errors.New("storage full")         // nothing was stored; reads still work
	ErrOutcomeUnknown = errors.New("outcome unknown")      // the write may or may not be stored: read before writing again
	ErrReadOnly       = errors.New("read-only")            // this store takes no writes; reads still work
	ErrUnsupported    = errors.New("unsupported")          // written by a newer version of this module, or not set up
	ErrProvider       = errors.New("the model's provider") // a summary was not made; nothing was changed
	ErrClosed         = errors.New("closed")
)

// Kind returns which of the errors above one wraps; nil: none of them.
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

// fail builds the error of an operation on an object: "write plan.md: CAUSE: KIND".
func fail(kind error, op, object, cause string, args ...any) error {
	return fmt.Errorf("%s %s: %s: %w", op, clip(object), fmt.Sprintf(cause, args...), kind)
}

// within adds the operation and the object to an error that has a kind already.
func within(op, object string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", op, clip(object), err)
}

// clip keeps a name that somebody sent from filling an error.
func clip(name string) string {
	const most = 80
	for i := range len(name) {
		if c := name[i]; i >= most || c < 0x20 || c >= 0x7f {
			return quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// quote returns a text in quotes, cut to about a hundred bytes.
func quote(text string) string {
	const most = 96
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		q := strconv.QuoteRune(r)
		if q = q[1 : len(q)-1]; b.Len()+len(q) > most {
			return b.String() + `"...`
		}
		b.WriteString(q)
	}
	b.WriteByte('"')
	return b.String()
}
