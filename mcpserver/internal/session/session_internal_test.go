package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ended collects the sessions that were ended. It is safe for concurrent use.
type ended struct {
	mu  sync.Mutex // guards ids
	ids map[string]bool
}

func newEnded() *ended { return &ended{ids: map[string]bool{}} }

func (e *ended) add(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ids[id] = true
}

func (e *ended) has(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ids[id]
}

func (e *ended) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(slices.Sorted(maps.Keys(e.ids)))
}

// Callers who fill all sessions, each with as many as it may have, end no session of others,
// however long that has been idle.
func TestManyCallersWithManySessions(t *testing.T) {
	q, gone := NewSet(), newEnded()
	q.most, q.each = 8, 4
	defer q.EndAll()
	q.Release(gone.begin(t, q, "mine", "me"))
	for n := range 40 {
		caller := fmt.Sprint("hostile", n%3)
		q.Release(gone.begin(t, q, fmt.Sprint(caller, n), caller))
	}
	if gone.has("mine") || q.Open() != 8 {
		t.Errorf("ended are %v, %d are open", gone, q.Open())
	}
}

func (e *ended) begin(t *testing.T, q *Set, id, caller string) *Session {
	t.Helper()
	s, err := q.Begin(id, caller, func() { e.add(id) })
	if err != nil {
		t.Fatalf("begin %s: %v", id, err)
	}
	return s
}

// If there is no room, the session that has been idle longest ends: of the caller first,
// and never one with a call under way.
func TestRoomForSessions(t *testing.T) {
	q, gone := NewSet(), newEnded()
	q.most, q.each = 4, 2
	defer q.EndAll()
	busy := gone.begin(t, q, "a1", "a")
	q.Release(gone.begin(t, q, "a2", "a"))
	q.Release(gone.begin(t, q, "a3", "a"))
	if gone.String() != "[a2]" {
		t.Errorf("ended are %v, want a2: a1 is busy", gone)
	}
	q.Release(gone.begin(t, q, "b1", "b"))
	held := q.Enter("b1", "b")
	q.Release(gone.begin(t, q, "c1", "c"))
	q.Release(gone.begin(t, q, "d1", "d"))
	if gone.String() != "[a2 a3]" {
		t.Errorf("ended are %v, want the oldest idle one of all, a3", gone)
	}
	if q.Enter("b1", "a") != nil || q.Enter("none", "b") != nil || q.Enter("a3", "a") != nil {
		t.Error("a session is entered that is another's, or is not there")
	}
	q.Enter("c1", "c")
	q.Enter("d1", "d")
	if _, err := q.Begin("e1", "e", nil); !errors.Is(err, ErrFull) {
		t.Errorf("begin where all are busy: %v, want %v", err, ErrFull)
	}
	q.Release(held)
	q.Release(gone.begin(t, q, "e1", "e"))
	if !gone.has("b1") || gone.has("a1") || len(q.byID) != 4 {
		t.Errorf("ended are %v, %d are left, want b1 ended and 4 left", gone, len(q.byID))
	}
	q.Release(busy)
}

// An idle session ends after a time, which is short until the handshake is complete.
func TestSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, gone := NewSet(), newEnded()
		q.Release(gone.begin(t, q, "silent", "a"))
		ready := gone.begin(t, q, "ready", "a")
		q.Ready(ready)
		q.Release(ready)
		busy := gone.begin(t, q, "busy", "a")
		time.Sleep(Handshake + time.Second)
		synctest.Wait()
		if gone.String() != "[silent]" {
			t.Errorf("ended are %v, want silent alone", gone)
		}
		q.Release(q.Enter("ready", "a"))
		time.Sleep(idleTimeout - time.Second)
		synctest.Wait()
		if gone.has("ready") {
			t.Error("a session ended that was used")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !gone.has("ready") || gone.has("busy") {
			t.Errorf("ended are %v, want ready too, and not busy", gone)
		}
		q.Release(busy)
		time.Sleep(Handshake + time.Second)
		synctest.Wait()
		if len(q.byID) != 0 || len(q.count) != 0 {
			t.Errorf("%d sessions, %d callers are left, want none", len(q.byID), len(q.count))
		}
	})
}
