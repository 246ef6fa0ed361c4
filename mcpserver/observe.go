package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Outcome says how a call ended.
type Outcome struct {
	// Err is nil if the call succeeded. [workspace.Kind] returns the kind of error that the
	// client got. If Err wraps context.Canceled, the client left before the answer. If Err has
	// no kind and does not wrap context.Canceled, it is an internal error, which is in the
	// log. The text of Err may contain paths and content.
	Err error

	BytesIn  int64 // bytes of the request's body or line
	BytesOut int64 // bytes of the answer that were written
}

// An observation follows one call until its answer is written. It is safe for
// concurrent use.
type observation struct {
	under *atomic.Int64 // counts the calls under way
	end   func(Outcome) // nil: nobody wants to know

	mu      sync.Mutex // guards the following
	outcome Outcome
	reached bool // a handler has got the call
}

// observe begins to follow a call. The context is for all that the call does.
func (s *Server) observe(ctx context.Context, c Call, bytes int) (context.Context, *observation) {
	o := &observation{under: &s.calls, outcome: Outcome{BytesIn: int64(bytes)}}
	s.calls.Add(1)
	if s.o.Around != nil {
		ctx, o.end = s.o.Around(ctx, c)
	}
	return ctx, o
}

// fail notes why the call failed. The first reason counts, which knows most.
func (o *observation) fail(err error) {
	if o == nil || err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.outcome.Err == nil {
		o.outcome.Err = err
	}
}

// reach notes that a handler has got the call. All other calls fail.
func (o *observation) reach() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reached = true
}

func (o *observation) wrote(bytes int) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.outcome.BytesOut += int64(bytes)
}

// over is called once, when nobody works on the call any more.
func (o *observation) over() {
	if o == nil {
		return
	}
	o.under.Add(-1)
	if o.end == nil {
		return
	}
	o.mu.Lock()
	outcome := o.outcome
	if !o.reached && outcome.Err == nil {
		outcome.Err = errProtocol
	}
	o.mu.Unlock()
	o.end(outcome)
}

// noteFailure notes why the call of a context failed.
func noteFailure(ctx context.Context, err error) {
	if r := requestOf(ctx); r != nil {
		r.charge.seen.fail(err)
	}
}

var (
	errProtocol = workspace.Errorf(workspace.ErrInvalid, "the protocol does not allow the request")
	errTooMuch  = workspace.Errorf(workspace.ErrBusy, "%v", errFull)
	errPanic    = errors.New("panic")
	errInternal = errors.New("internal error")
	errLeft     = context.Canceled
)

// wireFailure returns the reason that an error of the protocol stands for.
func wireFailure(err error) error {
	var wire *jsonrpc.Error
	if err == error(errGone) {
		return errLeft
	}
	if !errors.As(err, &wire) {
		return errProtocol
	}
	if wire.Code == jsonrpc.CodeInternalError {
		return errInternal
	}
	return errProtocol
}

// statusFailure returns the reason that a status stands for, or nil. A status of 0 means
// that there was no answer.
func statusFailure(status int) error {
	switch {
	case status == 0:
		return errLeft
	case status < http.StatusBadRequest:
		return nil
	case status == http.StatusServiceUnavailable:
		return errTooMuch
	case status >= http.StatusInternalServerError:
		return errInternal
	}
	return errProtocol
}
