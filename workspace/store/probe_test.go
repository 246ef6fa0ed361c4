package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A look that hangs keeps nobody, and is the only one of its kind.
func TestProbeDoesNotHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Probe
		var looks atomic.Int64
		leave := make(chan struct{})
		hang := func() error { looks.Add(1); <-leave; return nil }
		ended, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		began := time.Now()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if err := p.Do(t.Context(), slog.New(slog.DiscardHandler), hang); !errors.Is(err, ErrBusy) {
					t.Errorf("Do = %v, want ErrBusy", err)
				}
			})
		}
		if err := p.Do(ended, slog.New(slog.DiscardHandler), hang); !errors.Is(err, ErrBusy) {
			t.Errorf("Do = %v, want ErrBusy", err)
		}
		if took := time.Since(began); took != 10*time.Millisecond {
			t.Errorf("Do with a deadline took %v", took)
		}
		wg.Wait()
		if took := time.Since(began); took != probeWait || looks.Load() != 1 {
			t.Errorf("100 callers waited for %v, with %d looks; want 1s and 1", took, looks.Load())
		}
		close(leave)
		synctest.Wait()
		p.Close()
		if err := p.Do(t.Context(), slog.New(slog.DiscardHandler), hang); !errors.Is(err, ErrClosed) || looks.Load() != 1 {
			t.Errorf("after Close: %v, %d looks", err, looks.Load())
		}
	})
}

// Equal errors are logged once, with the cause, and so is their end.
func TestProbeLogs(t *testing.T) {
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, nil))
	var p Probe
	gone := Errorf(ErrReadOnly, "a file is gone")
	gone.Err = errors.New("nothing is at /the/path")
	for _, result := range []error{nil, gone, gone, gone, nil, nil} {
		if err := p.Do(t.Context(), log, func() error { return result }); err != result {
			t.Errorf("Do = %v, want %v", err, result)
		}
	}
	if got := b.String(); strings.Count(got, "\n") != 2 || strings.Count(got, "nothing is at /the/path") != 1 || strings.Count(got, "ready again") != 1 {
		t.Errorf("the log:\n%s", got)
	}
}
