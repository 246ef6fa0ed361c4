package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

func TestJournalEndedContext(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	j := workspace.Journal(ws, "l")
	all := record(t, j, said("1"), said("2"), said("3"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []conversation.Record
	for r, err := range j.Records(ctx, 0) {
		if err == nil {
			got = append(got, r)
			cancel()
		} else if !errors.Is(err, context.Canceled) || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Records = %v, want context.Canceled", err)
		}
	}
	if diff := cmp.Diff(all[:1], got); diff != "" {
		t.Errorf("a loop that ends its context reads others, -want +got:\n%s", diff)
	}
	batch := []conversation.Record{said("x")}
	if err := j.Append(ctx, batch...); !errors.Is(err, context.Canceled) || !errors.Is(err, conversation.ErrJournal) || batch[0].Seq != 0 {
		t.Errorf("Append with an ended context = %v, Seq %d, want its error and ErrJournal", err, batch[0].Seq)
	}
	wantRecords(t, j, 0, all)
}

// A turnStore runs its transactions on a goroutine of its own, like a backend that
// commits for many callers. If the context ends after a transaction was taken, the caller
// does not get its outcome. The hooks are called on that goroutine.
type turnStore struct {
	workspace.Store
	taken, ran func()
	finished   sync.WaitGroup
}

func (s *turnStore) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	done := make(chan error, 1)
	s.finished.Go(func() {
		s.taken()
		done <- s.Store.Update(context.WithoutCancel(ctx), o, func(tx port.Tx) error {
			err := fn(tx)
			s.ran()
			return err
		})
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the call ended: %w: %w", workspace.ErrOutcomeUnknown, ctx.Err())
	}
}

// The outcome of an Append is known, whenever its context ends: before the transaction
// begins, nothing is stored; after that, Append completes.
func TestJournalOutcomeIsKnown(t *testing.T) {
	for _, test := range []struct {
		name            string
		deadline, early bool
	}{
		{"cancelled before", false, true}, {"past its deadline before", true, true},
		{"cancelled after", false, false}, {"past its deadline after", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { outcomeIsKnown(t, test.deadline, test.early) })
		})
	}
}

func outcomeIsKnown(t *testing.T, deadline, early bool) {
	inner := memstore.New()
	defer inner.Close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if deadline {
		ctx, end = newDeadline(t.Context())
	}
	store := &turnStore{Store: inner, taken: func() {}, ran: func() {}}
	hook := &store.ran
	if early {
		hook = &store.taken
	}
	*hook = func() {
		end()
		synctest.Wait() // until the caller has its answer, if that is to come now
	}
	j := workspace.Journal(agentOf(t, serviceOn(t, store, workspace.Options{}), "a"), "l")
	batch := []conversation.Record{said("x")}
	err := j.Append(ctx, batch...)
	store.finished.Wait()
	*hook = func() {}

	plain := workspace.Journal(agentOf(t, serviceOn(t, inner, workspace.Options{}), "a"), "l")
	if !early {
		if err != nil {
			t.Errorf("Append = %v, want nil: its transaction had begun", err)
		}
		wantRecords(t, plain, 0, batch)
		return
	}
	if deadline {
		wantJournalErr(t, "Append", err, workspace.ErrBusy, "append to l: ")
	}
	if !errors.Is(err, ctx.Err()) || !errors.Is(err, conversation.ErrJournal) || errors.Is(err, workspace.ErrOutcomeUnknown) {
		t.Errorf("Append = %v, want %v", err, ctx.Err())
	}
	wantRecords(t, plain, 0, nil)
}

// An Append that waits for another one of the same Journal ends with its context, and
// stores nothing.
func TestJournalAppendWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := memstore.New()
		defer inner.Close()
		hold := make(chan struct{})
		store := &turnStore{Store: inner, taken: func() { <-hold }, ran: func() {}}
		j := workspace.Journal(agentOf(t, serviceOn(t, store, workspace.Options{}), "a"), "l")
		first := []conversation.Record{said("first")}
		done := make(chan error)
		go func() { done <- j.Append(t.Context(), first...) }()
		synctest.Wait()

		var none context.Context
		wantJournalErr(t, "Append without a context", j.Append(none, said("x")), workspace.ErrInvalid, "append to l: the context is nil")
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := j.Append(late, said("x"))
		wantJournalErr(t, "Append past its deadline", err, workspace.ErrBusy, "append to l: ")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Append past its deadline = %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := j.Append(ctx, said("x")); !errors.Is(err, context.Canceled) || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Append with an ended context = %v", err)
		}
		close(hold)
		if err := <-done; err != nil {
			t.Error(err)
		}
		wantRecords(t, j, 0, first)
	})
}

// A deadlineContext passes its deadline when its channel is closed.
type deadlineContext struct {
	context.Context
	passed chan struct{}
}

func newDeadline(parent context.Context) (context.Context, context.CancelFunc) {
	c := deadlineContext{parent, make(chan struct{})}
	return c, sync.OnceFunc(func() { close(c.passed) })
}

func (c deadlineContext) Done() <-chan struct{} { return c.passed }

func (c deadlineContext) Err() error {
	select {
	case <-c.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
