package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var quiet = slog.New(slog.DiscardHandler)

// A bill notes the attempts of each charge.
type bill struct {
	mu       sync.Mutex // guards attempts
	attempts map[string]int
	err      error // of every attempt
}

func (b *bill) charge(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.attempts == nil {
		b.attempts = map[string]int{}
	}
	b.attempts[key]++
	return b.err
}

// call passes one call through the meter, as the server does.
func call(m *meter, tool string, outcome error) error {
	c := mcpserver.Call{Tool: tool}
	ctx, end := m.around(context.Background(), c)
	err := m.reserve(ctx, c)
	if err != nil {
		outcome = err
	}
	end(mcpserver.Outcome{Err: outcome})
	return err
}

// Calls at once do not pass the limit, and a call that fails gives its place back.
func TestMeterLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bill{}
		m := newMeter("run1", 3, b.charge, quiet)
		if err := call(m, "read_file", workspace.ErrNotFound); err != nil {
			t.Errorf("a call below the limit: %v", err)
		}
		var wg sync.WaitGroup
		var refused sync.Map
		for i := range 50 {
			wg.Go(func() {
				if err := call(m, "write_file", nil); err != nil {
					refused.Store(i, err)
				}
			})
		}
		wg.Wait()
		n := 0
		refused.Range(func(_, err any) bool {
			n++
			if !errors.Is(err.(error), workspace.ErrQuota) {
				t.Errorf("refused with %v, want ErrQuota", err)
			}
			return true
		})
		m.Close(t.Context())
		if n != 47 || len(b.attempts) != 3 {
			t.Errorf("refused %d and charged %d of 50 calls, want 47 and 3", n, len(b.attempts))
		}
	})
}

// A charge is tried again for two minutes, with one key. A refused one is not.
func TestMeterRepeats(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{{errors.New("a passing fault"), chargeAttempts}, {&refusal{400, "unknown event"}, 1}} {
		synctest.Test(t, func(t *testing.T) {
			b := &bill{err: c.err}
			m := newMeter("run1", -1, b.charge, quiet)
			call(m, "read_file", nil)
			time.Sleep(5 * time.Minute)
			m.Close(t.Context())
			if len(b.attempts) != 1 {
				t.Errorf("charges %v, want one", b.attempts)
			}
			for _, n := range b.attempts {
				if n != c.want {
					t.Errorf("%v: %d attempts, want %d", c.err, n, c.want)
				}
			}
		})
	}
}

// While the platform takes no charges, calls go on for a while and are then refused, so
// that neither the memory nor the debt grows. When it works again, everything is charged.
func TestMeterRefusesWhatCannotBeCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := make(chan struct{})
		charged := make(chan string, 2*mostWaiting)
		m := newMeter("run1", -1, func(ctx context.Context, key string) error {
			<-works
			charged <- key
			return nil
		}, quiet)
		done := 0
		for done < 2*mostWaiting {
			if err := call(m, "append_log", nil); err != nil {
				if !errors.Is(err, workspace.ErrBusy) {
					t.Errorf("refused with %v, want ErrBusy", err)
				}
				break
			}
			done++
		}
		if done != mostWaiting {
			t.Errorf("%d calls went on, want %d", done, mostWaiting)
		}
		close(works)
		synctest.Wait()
		if err := call(m, "append_log", nil); err != nil {
			t.Errorf("a call after the platform works again: %v", err)
		}
		m.Close(t.Context())
		if len(charged) != mostWaiting+1 {
			t.Errorf("%d charges, want %d", len(charged), mostWaiting+1)
		}
	})
}

// A stop waits for charges, gives them up after its time, and later calls are free.
func TestMeterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter("run1", -1, func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return fmt.Errorf("given up: %w", ctx.Err())
		}, quiet)
		late := mcpserver.Call{Tool: "read_file"}
		lateCtx, end := m.around(t.Context(), late)
		testkit.Must(t, m.reserve(lateCtx, late))
		call(m, "read_file", nil)
		ctx, cancel := context.WithTimeout(t.Context(), stopTime)
		defer cancel()
		began := time.Now()
		m.Close(ctx)
		if took := time.Since(began); took != stopTime {
			t.Errorf("Close took %v, want %v", took, stopTime)
		}
		end(mcpserver.Outcome{})
	})
}
