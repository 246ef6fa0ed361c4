package wake_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/wake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a subscription that the test feeds.
type source struct {
	told  chan string
	end   func() // closes told
	begun int
	err   error
}

func (s *source) subscribe(ctx context.Context) (<-chan string, error) {
	s.begun++
	if s.err != nil {
		return nil, s.err
	}
	told := make(chan string)
	s.told, s.end = told, sync.OnceFunc(func() { close(told) })
	context.AfterFunc(ctx, s.end)
	return told, nil
}

func join(t *testing.T, h *wake.Hub[string], key string) (<-chan struct{}, func()) {
	t.Helper()
	woken, leave, err := h.Join(t.Context(), key)
	if err != nil {
		t.Fatalf("Join = %v", err)
	}
	return woken, leave
}

func TestHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		h := wake.NewHub(s.subscribe)
		a, leaveA := join(t, h, "a")
		b, leaveB := join(t, h, "b")
		for _, c := range []struct {
			tell string
			a, b int
		}{{"a", 1, 0}, {"b", 1, 1}, {"a", 1, 1}, {"other", 1, 1}} {
			s.told <- c.tell
			synctest.Wait()
			if len(a) != c.a || len(b) != c.b {
				t.Errorf("after %q: %d and %d wait, want %d and %d", c.tell, len(a), len(b), c.a, c.b)
			}
		}
		<-a
		<-b
		s.told <- ""
		synctest.Wait()
		if len(a) != 1 || len(b) != 1 || s.begun != 1 {
			t.Errorf("after the zero key: %d and %d wait, %d subscriptions", len(a), len(b), s.begun)
		}
		leaveA()
		leaveA()
		leaveB()
		_, leave := join(t, h, "a") // the one before has ended
		defer leave()
		if s.begun != 2 {
			t.Errorf("%d subscriptions, want a second one", s.begun)
		}
	})
}

func TestHubEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		h := wake.NewHub(s.subscribe)
		a, leave := join(t, h, "a")
		defer leave()
		s.told <- "b"
		s.end() // the store is closed
		synctest.Wait()
		if _, open := <-a; open {
			t.Error("the channel is open after the subscription has ended")
		}
		s.err = errors.New("closed")
		if _, _, err := h.Join(t.Context(), "a"); err != s.err {
			t.Errorf("Join = %v, want %v", err, s.err)
		}
	})
}

// A subscription that takes long holds nobody whose context ends.
func TestHubWaits(t *testing.T) {
	begin := make(chan struct{})
	h := wake.NewHub(func(ctx context.Context) (<-chan string, error) {
		<-begin
		told := make(chan string)
		context.AfterFunc(ctx, func() { close(told) })
		return told, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, _, err := h.Join(ctx, "a")
		ended <- err
	}()
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Join = %v, want %v", err, context.Canceled)
	}
	close(begin)
	_, leave := join(t, h, "a")
	leave()
}
