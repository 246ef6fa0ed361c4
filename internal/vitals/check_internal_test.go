package vitals

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
)

// withLook returns a Vitals that looks with a function.
func withLook(look func(context.Context) looked) *Vitals {
	v := Start(Options{Logger: slog.New(slog.DiscardHandler)})
	v.checker.look = look
	return v
}

func named(name string) looked { return looked{checks: []console.Check{{Name: name}}} }

// textOf returns the checks that people get.
func textOf(t *testing.T, v *Vitals) string {
	t.Helper()
	h, err := v.Health(t.Context())
	if err != nil {
		t.Errorf("Health = %v", err)
	}
	var names []string
	for _, c := range h.Checks {
		names = append(names, c.Name+c.Text)
	}
	return strings.Join(names, "; ")
}

// However many ask, there is one look at a time, and one in ten seconds.
func TestOneLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		v := withLook(func(context.Context) looked {
			looks++
			time.Sleep(2 * time.Second)
			return named(fmt.Sprint("look ", looks))
		})
		defer v.Close()
		began := time.Now()
		var all sync.WaitGroup
		for range 10_000 {
			all.Go(func() {
				if got := textOf(t, v); got != "look 1" {
					t.Errorf("got %s", got)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %v", took)
		}
		time.Sleep(fresh - time.Millisecond)
		if got := textOf(t, v); got != "look 1" || looks != 1 {
			t.Errorf("within ten seconds: %s, %d looks", got, looks)
		}
		time.Sleep(time.Millisecond)
		if got := textOf(t, v); got != "look 2" || looks != 2 {
			t.Errorf("after ten seconds: %s, %d looks", got, looks)
		}
	})
}

// Who asked first and hangs up does not take the look from the others.
func TestAskerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := withLook(func(ctx context.Context) looked {
			time.Sleep(3 * time.Second)
			if ctx.Err() != nil {
				return named("cancelled")
			}
			return named("whole")
		})
		defer v.Close()
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, err := v.Health(ctx); err != context.DeadlineExceeded {
			t.Errorf("Health of who left = %v", err)
		}
		if got := textOf(t, v); got != "whole" {
			t.Errorf("got %s", got)
		}
	})
}

// A look that hangs keeps nobody for long, stays the only one, and is said.
func TestLookHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, hang := 0, make(chan struct{})
		v := withLook(func(ctx context.Context) looked {
			if looks++; looks > 1 {
				<-hang // whatever ctx says, as a disk does
			}
			return named(fmt.Sprint("look ", looks))
		})
		textOf(t, v)
		time.Sleep(fresh)
		for range 3 {
			began := time.Now()
			if got := textOf(t, v); !strings.HasPrefix(got, "checksthe checks have not ended for ") || !strings.HasSuffix(got, "; look 1") {
				t.Errorf("got %s", got)
			}
			if took := time.Since(began); took > lookLimit+lookGrace {
				t.Errorf("took %v", took)
			}
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		if looks != 2 {
			t.Errorf("%d looks", looks)
		}
		began := time.Now()
		if v.Close(); time.Since(began) != closeWait {
			t.Errorf("Close took %v", time.Since(began))
		}
		close(hang)
		synctest.Wait()
	})
}

// A look has five seconds, and less if the server stops. None begins after that.
func TestLookEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		v := withLook(func(ctx context.Context) looked {
			looks++
			<-ctx.Done()
			return named("ended")
		})
		began := time.Now()
		if got := textOf(t, v); got != "ended" || time.Since(began) != lookLimit {
			t.Errorf("got %s after %v", got, time.Since(began))
		}
		time.Sleep(fresh)
		go v.Health(t.Context())
		synctest.Wait()
		began = time.Now()
		if v.Close(); time.Since(began) != 0 {
			t.Errorf("Close took %v", time.Since(began))
		}
		time.Sleep(time.Hour)
		if got := textOf(t, v); got != "ended" || looks != 2 {
			t.Errorf("after Close: %s, %d looks", got, looks)
		}
		never := withLook(nil)
		never.Close()
		if got := textOf(t, never); got != "checksthe server is stopping" {
			t.Errorf("after Close without a look: %s", got)
		}
	})
}

// A panic in a look does not end the server.
func TestLookPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := withLook(func(context.Context) looked { panic("bad") })
		defer v.Close()
		if got := textOf(t, v); !strings.Contains(got, "panic") {
			t.Errorf("got %s", got)
		}
	})
}
