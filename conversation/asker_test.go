package conversation_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/agent-scratchpad/scratchpad/conversation"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestFailuresLeaveTheMessages(t *testing.T) {
	long := strings.Repeat("word ", 300)
	for name, c := range map[string]struct {
		summarize func(context.Context, Request) (string, error)
		says      string
	}{
		"an error":               {func(context.Context, Request) (string, error) { return "half", errors.New("boom") }, "boom"},
		"a panic":                {func(context.Context, Request) (string, error) { panic("boom") }, "panicked: boom"},
		"an ended goroutine":     {func(context.Context, Request) (string, error) { runtime.Goexit(); return "", nil }, "ended its goroutine"},
		"no text":                {func(context.Context, Request) (string, error) { return " \n", nil }, "no text"},
		"bytes":                  {func(context.Context, Request) (string, error) { return "a\xff", nil }, "UTF-8"},
		"more than it was given": {func(context.Context, Request) (string, error) { return long, nil }, "that it replaces"},
	} {
		var errs []error
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: c.summarize, OnError: func(err error) { errs = append(errs, err) }})
		add(t, m, users("a b c d")...)
		if got := texts(m.Messages()); got != "a b c d" {
			t.Errorf("%s: the window is %q", name, got)
		}
		if s, ok := m.Summary(); s != "" || ok {
			t.Errorf("%s: there is a summary, %q", name, s)
		}
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%s: OnError got %v", name, errs)
		}
	}
}

// After a failure the next try comes after 1, 2, 4 ... 64 further messages, or after
// 1 s, 2 s ... 5 min.
func TestPausesAfterFailures(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	calls := 0
	fail := true
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Now: func() time.Time { return now }, OnError: func(error) {},
		Summarize: func(context.Context, Request) (string, error) {
			calls++
			if fail {
				return "", errors.New("down")
			}
			return "s", nil
		}})
	add(t, m, users("a b c d")...)
	var gaps []int
	for len(gaps) < 9 {
		gap, before := 0, calls
		for calls == before {
			add(t, m, UserText("x"))
			gap++
		}
		gaps = append(gaps, gap)
	}
	if want := []int{1, 2, 4, 8, 16, 32, 64, 64, 64}; !slices.Equal(gaps, want) {
		t.Errorf("tries after %v messages, want %v", gaps, want)
	}

	fail = false
	now = now.Add(10 * time.Minute)
	add(t, m, UserText("x"))
	if _, ok := m.Summary(); !ok {
		t.Fatal("no summary after the pause")
	}
	// A success resets both.
	fail = true
	var waits []time.Duration
	for before := calls; calls == before; {
		add(t, m, UserText("x"))
	}
	for len(waits) < 10 {
		wait, before := time.Duration(0), calls
		for calls == before {
			now = now.Add(time.Second)
			wait += time.Second
			testkit.Must(t, m.Append(t.Context()))
		}
		waits = append(waits, wait)
	}
	s := time.Second
	if want := []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, 300 * s}; !slices.Equal(waits, want) {
		t.Errorf("tries after %v, want %v", waits, want)
	}
}

// No model is asked if the context has ended when a summary is due.
func TestEndedContextAsksNobody(t *testing.T) {
	r := &recorder{}
	j := &listJournal{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	ctx, cancel := context.WithCancel(t.Context())
	add(t, m, users("a b c")...)
	j.setFail(func([]Record) error { cancel(); return nil })
	if err := m.Append(ctx, UserText("d")); err != nil || r.calls() != 0 {
		t.Errorf("Append: %v, %d calls", err, r.calls())
	}
	j.setFail(nil)
	if add(t, m, UserText("e")); texts(m.Messages()) != "S d e" {
		t.Errorf("the window is %q", texts(m.Messages()))
	}
}

// A summariser that never returns is not called without limit.
func TestHangingSummarisersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, OnError: func(error) {},
			Summarize: func(context.Context, Request) (string, error) { calls.Add(1); <-release; return "s", nil }})
		for range 1000 {
			add(t, m, UserText("a"))
		}
		if n := calls.Load(); n != 8 {
			t.Errorf("%d calls that never returned", n)
		}
		close(release)
		synctest.Wait()
		time.Sleep(10 * time.Minute)
		if add(t, m, UserText("a")); calls.Load() < 9 {
			t.Error("it is not called again")
		}
	})
}
