package sqlite

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// job is a function for the writer, with its answer.
type job struct {
	ctx   context.Context
	owner string
	fn    func(*tx) error
	stays bool // a caller whose context ends waits for fn, which uses what is the caller's own
	state atomic.Int32
	tx    tx            // of the last run
	done  chan struct{} // closed when the following fields are set

	err      error
	panicked bool
	value    any  // of the panic
	exited   bool // the function called runtime.Goexit
}

// States of a job. The caller and the writer each try to move it from queued.
const (
	queued    int32 = iota
	running         // the writer runs it
	withdrawn       // it never ran, because the caller's context has ended
	refused         // it never ran, and err says why
)

// await queues a job and waits for its answer. If the context ends before the function has
// started, the function is withdrawn.
func (w *writer) await(j *job) error {
	ctx := j.ctx
	if err := ctx.Err(); err != nil {
		return store.NotStarted(ctx)
	}
	j.done = make(chan struct{})
	if err := w.enqueue(j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(queued, withdrawn) {
			w.forget(j)
			return store.NotStarted(ctx)
		}
		switch state := j.state.Load(); {
		case state == withdrawn: // by the writer
			return store.NotStarted(ctx)
		case state == refused, j.stays:
			<-j.done
		default:
			select {
			case <-j.done: // answered in the same moment
			default:
				return store.CausedBy(ctx.Err(), store.ErrOutcomeUnknown,
					"the call ended while its commit was under way; read before writing again")
			}
		}
	}
	switch {
	case j.panicked:
		panic(j.value)
	case j.exited:
		runtime.Goexit()
	}
	return j.err
}

func (w *writer) enqueue(j *job) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.broken != nil:
		return w.broken
	case w.closing:
		return store.ErrClosed
	}
	w.queue = append(w.queue, j)
	w.poke()
	return nil
}

func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// pop takes the next job that is not withdrawn and gives it the state. It returns nil if
// there is none.
func (w *writer) pop(state int32) *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 {
		j := w.queue[0]
		w.queue[0] = nil
		w.queue = w.queue[1:]
		if j.ctx.Err() != nil && j.state.CompareAndSwap(queued, withdrawn) {
			j.err = store.NotStarted(j.ctx)
			close(j.done)
			continue
		}
		if j.state.CompareAndSwap(queued, state) {
			return j
		}
	}
	w.queue = nil
	return nil
}

// forget takes a withdrawn job out of the queue. While another process has the turn, pop
// may not come to it for long.
func (w *writer) forget(j *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.queue, j); i >= 0 {
		w.queue = slices.Delete(w.queue, i, i+1)
	}
}

// refuse answers the waiting jobs with an error. A job that comes meanwhile is not
// refused: the cause may be gone by then.
func (w *writer) refuse(err error) {
	w.mu.Lock()
	waiting := w.queue
	w.queue = nil
	w.mu.Unlock()
	for _, j := range waiting {
		if !j.state.CompareAndSwap(queued, refused) { // withdrawn by its caller
			continue
		}
		j.err = err
		w.meter.answered(false)
		close(j.done)
	}
}
