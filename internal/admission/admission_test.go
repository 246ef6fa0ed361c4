package admission

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// mustTake takes a part that must be there at once.
func mustTake(t *testing.T, s *Semaphore, group string, weight int64) *Part {
	t.Helper()
	p, ok := s.TryTake(group, weight)
	if !ok {
		t.Fatalf("%q waits for %d", group, weight)
	}
	return p
}

// mustBeEmpty checks that nothing is kept of those who have left.
func mustBeEmpty(t *testing.T, s *Semaphore) {
	t.Helper()
	synctest.Wait()
	if s.held != 0 || len(s.groups)+len(s.line)+len(s.crowd) != 0 || s.elder != nil {
		t.Errorf("all have left, but the semaphore has %d, groups %v, %d in line, %d beside it", s.held, s.groups, len(s.line), len(s.crowd))
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// A group with many calls has its share, and keeps nobody else out. What an answer does not
// need goes back at once.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(100, 50)
		for range 64 { // of which five have a part at the same time
			go func() {
				if p, err := s.Take(within(t, 90*time.Second), "ada", 10); err == nil {
					time.Sleep(time.Minute)
					p.Leave()
				}
			}()
		}
		synctest.Wait()
		bob := mustTake(t, s, "bob", 50)
		began := time.Now()
		if _, err := s.Take(within(t, time.Second), "ada", 1); err != ErrShare || time.Since(began) != time.Second {
			t.Errorf("one call more: %v after %v, want ErrShare after a second", err, time.Since(began))
		}
		if _, err := s.Take(within(t, time.Second), "cyd", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call for which there is nothing: %v, want that the time is over", err)
		}
		if kept := bob.Shrink(10); kept != 10 || bob.Shrink(20) != 10 || s.Held() != 60 {
			t.Errorf("after Shrink: %d kept, %d held, want 10 and 60", kept, s.Held())
		}
		cyd := mustTake(t, s, "cyd", 40)
		bob.Leave()
		bob.Leave()
		cyd.Leave()
		time.Sleep(time.Hour)
		mustTake(t, s, "ada", 1000).Leave()
		mustBeEmpty(t, s)
	})
}

// A call that needs more than a share gets it. Others wait for one such call, and not for all
// that its group has asked for.
func TestLargeParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(100, 50)
		for range 10 {
			go func() {
				p, err := s.Take(t.Context(), "ada", 1000)
				testkit.Must(t, err)
				time.Sleep(time.Second)
				p.Leave()
			}()
		}
		synctest.Wait()
		began := time.Now()
		p, err := s.Take(t.Context(), "bob", 10)
		if err != nil || !p.Waited || time.Since(began) != time.Second {
			t.Fatalf("a small call: %v after %v, want it after one call of the other group", err, time.Since(began))
		}
		p.Leave()
		time.Sleep(time.Minute)
		mustBeEmpty(t, s)
	})
}

// A call that goes away leaves the line, and the call behind it comes next. None passes another
// that has waited longer.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(100, 50)
		p := mustTake(t, s, "", 60)
		ctx, cancel := context.WithCancel(t.Context())
		var gone, next error
		var behind *Part
		go func() { _, gone = s.Take(ctx, "bob", 100) }()
		synctest.Wait()
		go func() { behind, next = s.Take(t.Context(), "eve", 30) }()
		synctest.Wait()
		if _, ok := s.TryTake("cyd", 1); ok || behind != nil {
			t.Error("a small call passes those that wait")
		}
		cancel()
		synctest.Wait()
		if gone != context.Canceled || next != nil || behind == nil {
			t.Errorf("the call that went away: %v, the one behind: %v, %v", gone, behind, next)
		}
		behind.Leave()
		p.Leave()

		p = mustTake(t, s, "ada", 30)
		ctx, cancel = context.WithCancel(t.Context())
		go s.Take(ctx, "ada", 30)
		synctest.Wait()
		if _, ok := s.TryTake("ada", 10); ok {
			t.Error("a small call passes one of its group that has waited longer")
		}
		cancel()
		synctest.Wait()
		p.Leave()
		mustBeEmpty(t, s)
	})
}

// Parts that grow and never leave have the share of their group, and one of them may have more.
// What they give back goes to those who wait.
func TestGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1000, 500)
		grow := func(group string) (p *Part, granted bool) {
			p = s.Open(group)
			return p, p.Grow(within(t, time.Second), 100) == nil
		}
		var slow []*Part
		for range 20 {
			if p, ok := grow("slow"); ok {
				slow = append(slow, p)
			}
		}
		if len(slow) != 6 {
			t.Errorf("%d parts of 100 of one group may grow, want 5 and one beyond the share", len(slow))
		}
		for range 5 {
			if _, ok := grow("other"); !ok {
				t.Error("a part of another group waits")
			}
		}
		elder := slow[5]
		if err := elder.Grow(t.Context(), 10000); err != nil || s.Held() != 1000 {
			t.Errorf("the part beyond the limits: %v, %d held, want 1000", err, s.Held())
		}
		elder.Leave()
		next, ok := grow("third")
		if !ok || s.Held() != 1000 {
			t.Errorf("the next part beyond the limits waits: %v, %d held, want 1000", !ok, s.Held())
		}
		next.Leave()
		var late error
		go func() { late = s.Open("slow").Grow(t.Context(), 100) }()
		synctest.Wait()
		for _, p := range slow {
			p.Leave()
		}
		synctest.Wait()
		if late != nil || s.groups["slow"] > 100 {
			t.Errorf("a part that waited: %v, its group has %d", late, s.groups["slow"])
		}
	})
}
