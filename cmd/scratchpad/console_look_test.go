package main

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
)

// People who ask at the same time share a look, also if who asked first leaves.
func TestSharedLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		health := shareLook(t.Context(), func(ctx context.Context) (h console.Health) {
			looks++
			time.Sleep(2 * time.Second)
			if ctx.Err() == nil {
				h.Checks = []console.Check{{Name: "whole"}}
			}
			return h
		})
		var all sync.WaitGroup
		all.Go(func() {
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			if _, err := health(ctx); err != context.DeadlineExceeded {
				t.Errorf("who left got %v", err)
			}
		})
		for range 1000 {
			all.Go(func() {
				if h, err := health(t.Context()); err != nil || len(h.Checks) != 1 {
					t.Errorf("got %+v, %v", h, err)
				}
			})
		}
		all.Wait()
		if looks != 1 {
			t.Errorf("%d looks", looks)
		}
	})
}

// A look has five seconds, and less if the server stops. One that does not end keeps nobody
// for long, stays the only one, and the page says so.
func TestLookThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var looks atomic.Int32
		disk := make(chan struct{})
		health := shareLook(ctx, func(ctx context.Context) (h console.Health) {
			looks.Add(1)
			began := time.Now()
			if <-ctx.Done(); time.Since(began) > lookTime {
				t.Errorf("a look lasts %v", time.Since(began))
			}
			<-disk
			return h
		})
		for range 2 {
			began := time.Now()
			h, err := health(t.Context())
			if took := time.Since(began); err != nil || took != lookTime+lookGrace || len(h.Checks) != 1 || !strings.Contains(h.Checks[0].Text, "have not ended") {
				t.Errorf("after %v: %+v, %v", took, h, err)
			}
		}
		if n := looks.Load(); n != 1 {
			t.Errorf("%d looks", n)
		}
		close(disk)
		synctest.Wait()
		stop()
		began := time.Now()
		if _, err := health(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("a look after the stop took %v, %v", time.Since(began), err)
		}
	})
}

// A panic in a look does not end the server. Its value may quote what an agent wrote.
func TestLookPanics(t *testing.T) {
	health := shareLook(t.Context(), func(context.Context) console.Health { panic("secret") })
	if _, err := health(t.Context()); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "console_look_test.go:") {
		t.Errorf("Health = %v", err)
	}
}
