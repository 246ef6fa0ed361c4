package conversation

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// mostRunning is the most calls of the summariser that may run at once, because
// earlier ones were abandoned.
const mostRunning = 8

// An asker calls Options.Summarize, and abandons a call that does not return.
type asker struct {
	summarize func(context.Context, Request) (string, error)
	timeout   time.Duration
	running   atomic.Int32 // calls that have not returned; all but one of them abandoned
}

// An answer is what a call of the summariser returned.
type answer struct {
	text string
	err  error
}

// ask calls the summariser in a goroutine of its own, and waits for its answer. If
// one of the contexts has ended before, it does not call. It abandons the call at the
// deadline, when the caller's context ends, and when ctx ends with the cause
// errReplaced. If ctx ends with the cause errClosing, it still waits for the call,
// until the deadline.
func (a *asker) ask(caller, ctx context.Context, r Request) (string, error) {
	if caller.Err() != nil {
		return "", errNotAsked
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if n := a.running.Load(); n >= mostRunning {
		return "", fmt.Errorf("%d calls of the summariser were abandoned and still run: it should return when its "+
			"context ends", n)
	}
	limited, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	deadline := time.NewTimer(a.timeout)
	defer deadline.Stop()
	answers := a.call(limited, r)
	dropped := ctx.Done()
	for {
		select {
		case got := <-answers:
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			return got.text, got.err
		case <-caller.Done():
			select {
			case got := <-answers:
				return got.text, got.err
			default:
				return "", caller.Err()
			}
		case <-deadline.C:
			return "", fmt.Errorf("the summariser was abandoned after %v: %w", a.timeout, context.DeadlineExceeded)
		case <-dropped:
			if cause := context.Cause(ctx); !errors.Is(cause, errClosing) {
				return "", cause
			}
			dropped = nil
		}
	}
}

// call starts the summariser. The channel gets its one answer, even if it panics or
// ends its goroutine.
func (a *asker) call(ctx context.Context, r Request) <-chan answer {
	answers := make(chan answer, 1)
	a.running.Add(1)
	go func() {
		got := answer{err: errors.New("the summariser ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				got.err = fmt.Errorf("the summariser panicked: %v", p)
			}
			a.running.Add(-1)
			answers <- got
		}()
		got.text, got.err = a.summarize(ctx, r)
	}()
	return answers
}
