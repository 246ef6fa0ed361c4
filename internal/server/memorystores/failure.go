package memorystores

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/apierror"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A failure is an answer that is an error.
type failure struct {
	status int
	error  apierror.Error
	after  time.Duration // when the client may try again; 0: not said
	final  bool          // trying again is of no use, although the status says so
	allow  string        // the methods that there are; "": not said
	cause  error         // nil: the status says it
}

func fail(status int, format string, args ...any) *failure {
	return &failure{status: status, error: apierror.Error{Type: apierror.Type(status),
		Message: fmt.Sprintf(format, args...)}, final: status == http.StatusConflict}
}

func invalid(format string, args ...any) *failure {
	return fail(http.StatusBadRequest, format, args...)
}

func (f *failure) retry(after time.Duration) *failure { f.after = after; return f }

func (f *failure) because(err error) *failure { f.cause = err; return f }

// Error implements error.
func (f *failure) Error() string { return f.error.Message }

// Unwrap returns the cause, or the kind of error that the status stands for.
func (f *failure) Unwrap() error {
	switch {
	case f.cause != nil:
		return f.cause
	case f.status == http.StatusNotFound:
		return workspace.ErrNotFound
	case f.status == http.StatusConflict:
		return workspace.ErrConflict
	case f.status == http.StatusRequestEntityTooLarge:
		return workspace.ErrTooLarge
	case f.status == http.StatusTooManyRequests, f.status == http.StatusServiceUnavailable:
		return workspace.ErrBusy
	case f.status < http.StatusInternalServerError:
		return workspace.ErrInvalid
	}
	return nil
}

// head sets the headers that go with the error.
func (f *failure) head(h http.Header) {
	if f.after > 0 {
		errorkind.SetRetry(h, f.after)
	}
	if f.final { // else the official SDKs send the request again
		h.Set("X-Should-Retry", "false")
	}
	if f.allow != "" {
		h.Set("Allow", f.allow)
	}
}

var errPanic = errors.New("panic")

// notThere is the answer for what does not exist, and for what is not the caller's: the same
// bytes for both.
func notThere(what, id string) *failure {
	const most = 160
	if len(id) > most {
		id = id[:most] + "..."
	}
	return fail(http.StatusNotFound, "there is no %s %q", what, id)
}

// words are the names by which clients know arguments. No other file words an error of the
// workspace.
var words = store.Words{
	Arg: map[store.Arg]string{store.ArgNewPath: "path", store.ArgPrefix: "path_prefix",
		store.ArgAfter: "page", store.ArgLimit: "limit"},
	Way: func(e *workspace.Error) string {
		switch e.Way.Do {
		case store.DoUnicodePaths:
			return "the operator can allow it with --paths unicode"
		case store.DoRestore:
			return "its versions can still be read"
		case store.DoDropDeleted:
			return "the operator drops them with scratchpad files rm --for-good"
		case store.DoDelete:
			return "make room by deleting memories"
		case store.DoFreeStore:
			return "delete memory stores, or ask the operator for more"
		}
		return ""
	},
}

// explain returns what a client is told of an error. An error without a kind may say
// something about the machine. It is logged, and the client is told nothing of it.
func (h *Handler) explain(ctx context.Context, err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	text := err.Error()
	var e *workspace.Error
	if errors.As(err, &e) {
		text = e.Text(words)
	}
	k := errorkind.Of(err)
	status := k.API
	switch {
	case k.Err == workspace.ErrBusy:
		return fail(status, "%s", text).retry(time.Second).because(err)
	case k.Err == workspace.ErrInvalid && errors.Is(err, access.ErrDenied):
		status = http.StatusForbidden
	case k.Safe != "":
		text = k.Safe
	case status == 0 && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return fail(http.StatusServiceUnavailable,
			"the request was cancelled, or took too long").retry(time.Second).because(err)
	case status == 0:
		h.o.Logger.ErrorContext(ctx, "call failed", "in", "memory stores", "request", h.o.RequestID(ctx), "err", err)
		status, text = http.StatusInternalServerError, "internal error; the server's log has more"
	}
	f = fail(status, "%s", text).because(err)
	f.final = f.final || k.Safe != "" || k.Err == workspace.ErrCorrupt
	return f
}
