package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var contexts = []check{
	{"Contexts/CancelledBefore", ctxCancelled},
	{"Contexts/DeadlineBefore", ctxDeadline},
	{"Contexts/EndsWhileWaiting", ctxWaiting},
	{"Contexts/EndsInTheFunction", ctxInside},
	{"Contexts/EndsAfterwards", ctxAfter},
}

func ctxCancelled(t testing.TB, s store.Store) {
	before := filled(t, s)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("a cause"))
	ran := false
	if err := s.Update(ctx, alice, func(tx store.Tx) error {
		ran = true
		return spoil(tx)
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("Update with a cancelled context = %v, want context.Canceled", err)
	}
	if err := s.View(ctx, alice, func(store.Reader) error {
		ran = true
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("View with a cancelled context = %v, want context.Canceled", err)
	}
	for _, which := range []store.Owners{store.UsedOwners, store.DeletedOwners, store.AllOwners, store.OwnerTotals} {
		if _, err := s.Owners(ctx, store.OwnersQuery{Which: which, Tenant: "local", Limit: 1}); !errors.Is(err,
			context.Canceled) {
			t.Errorf("Owners %d with a cancelled context = %v, want context.Canceled", which, err)
		}
	}
	if ran {
		t.Error("a cancelled context, and the function ran")
	}
	unchanged(t, s, "an Update with a cancelled context", before)
}

func ctxDeadline(t testing.TB, s store.Store) {
	before := filled(t, s)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	ran := false
	err := s.Update(ctx, alice, func(tx store.Tx) error {
		ran = true
		return spoil(tx)
	})
	if !errors.Is(err, store.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Update past its deadline = %v, want ErrBusy and context.DeadlineExceeded", err)
	}
	if err := s.View(ctx, alice, func(store.Reader) error {
		ran = true
		return nil
	}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("View past its deadline = %v, want context.DeadlineExceeded", err)
	}
	if ran {
		t.Error("the deadline was past, and the function ran")
	}
	unchanged(t, s, "an Update past its deadline", before)
}

// honest tests that the error of an Update tells what is stored. nil means that the write
// is stored, ErrOutcomeUnknown that it may be, and another error that it is not. The error
// must be that of the context.
func honest(t testing.TB, what string, err error, stored bool) {
	t.Helper()
	switch {
	case err == nil:
		if !stored {
			t.Errorf("%s: Update = nil, and its work is lost", what)
		}
	case errors.Is(err, store.ErrOutcomeUnknown):
	case errors.Is(err, context.Canceled), errors.Is(err, store.ErrBusy):
		if stored {
			t.Errorf("%s: Update = %v, and its work is stored", what, err)
		}
	default:
		t.Errorf("%s: Update = %v, want nil, context.Canceled, ErrBusy or ErrOutcomeUnknown", what, err)
	}
}

// ctxWaiting ends contexts while another Update holds their owner.
func ctxWaiting(t testing.TB, s store.Store) {
	for _, deadline := range []bool{false, true} {
		started, release := make(chan struct{}, 8), make(chan struct{})
		first, second := make(chan error, 1), make(chan error, 1)
		go func() {
			first <- s.Update(t.Context(), alice, func(tx store.Tx) error {
				started <- struct{}{}
				<-release
				return write(tx, 1, "first", "x")
			})
		}()
		<-started
		ctx, cancel := context.WithCancel(t.Context())
		if deadline {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		}
		go func() {
			second <- s.Update(ctx, alice, func(tx store.Tx) error { return write(tx, 2, "second", "x") })
		}()
		if !deadline {
			cancel()
		}
		<-ctx.Done()
		close(release)
		if err := <-first; err != nil {
			t.Errorf("Update beside one whose context ended = %v, want nil", err)
		}
		err := <-second
		cancel()
		honest(t, "the context ended while another had the owner", err,
			view(t, s, alice, readFile("second")).Head.Exists())
		if f := view(t, s, alice, readFile("first")); !f.Head.Exists() {
			t.Errorf("Update beside one whose context ended left %+v, want its write", f)
		}
		update(t, s, alice, func(tx store.Tx) error {
			return errors.Join(remove(tx, 3, "first"), remove(tx, 4, "second"))
		})
	}
}

// ctxInside ends the context while the function runs.
func ctxInside(t testing.TB, s store.Store) {
	for i, path := range []string{"a", "b", "c"} {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Update(ctx, alice, func(tx store.Tx) error {
			if i == 0 {
				cancel()
			}
			err1 := write(tx, 1, path, "x")
			if i == 1 {
				cancel()
			}
			err2 := write(tx, 2, path+"2", "x")
			if i == 2 {
				cancel()
			}
			return errors.Join(err1, err2)
		})
		var one, two store.FileHead // of one moment: the commit may still be under way
		seen := s.View(t.Context(), alice, func(r store.Reader) (err error) {
			if one, _, err = plain.Read(r).File(path); err == nil {
				two, _, err = plain.Read(r).File(path + "2")
			}
			return err
		})
		if seen != nil {
			t.Fatal(seen)
		}
		honest(t, "the context ended in the function", err, one.Exists())
		if one.Exists() != two.Exists() {
			t.Errorf("the context ended in the function, which is stored in part: %+v, %+v", one, two)
		}
	}
	update(t, s, alice, func(tx store.Tx) error { return write(tx, 1, "after", "x") })
}

// ctxAfter ends the context after its call has returned.
func ctxAfter(t testing.TB, s store.Store) {
	for i := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		if err := s.Update(ctx, alice, func(tx store.Tx) error { return add(tx, i, "a", "x") }); err != nil {
			t.Fatalf("Update = %v, want nil", err)
		}
		cancel()
	}
	if got := view(t, s, alice, readLog("a")).Entries; len(got) != 100 {
		t.Errorf("100 Updates, each cancelled once it returned, left %d entries", len(got))
	}
}
