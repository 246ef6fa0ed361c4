package mcpserver

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// ended collects the sessions that were ended.
type ended map[string]bool

func (e ended) begin(t *testing.T, q *sessions, id, caller string) *session {
	t.Helper()
	s, err := q.begin(id, caller, func() { e[id] = true })
	if err != nil {
		t.Fatalf("begin %s: %v", id, err)
	}
	return s
}

// The oldest idle session makes room, the caller's own first, and none that has a
// call under way.
func TestRoomForSessions(t *testing.T) {
	q, gone := newSessions(), ended{}
	q.most, q.each = 4, 2
	defer q.endAll()
	busy := gone.begin(t, q, "a1", "a")
	q.release(gone.begin(t, q, "a2", "a"))
	q.release(gone.begin(t, q, "a3", "a"))
	if fmt.Sprint(gone) != "map[a2:true]" {
		t.Errorf("ended are %v, want a2: a1 is busy", gone)
	}
	q.release(gone.begin(t, q, "b1", "b"))
	held := q.enter("b1", "b")
	q.release(gone.begin(t, q, "c1", "c"))
	q.release(gone.begin(t, q, "d1", "d"))
	if fmt.Sprint(gone) != "map[a2:true a3:true]" {
		t.Errorf("ended are %v, want the oldest idle one of all, a3", gone)
	}
	if q.enter("b1", "a") != nil || q.enter("none", "b") != nil || q.enter("a3", "a") != nil {
		t.Error("a session is entered that is another's, or is not there")
	}
	q.enter("c1", "c")
	q.enter("d1", "d")
	if _, err := q.begin("e1", "e", nil); !errors.Is(err, errSessions) {
		t.Errorf("begin where all are busy: %v, want %v", err, errSessions)
	}
	q.release(held)
	q.release(gone.begin(t, q, "e1", "e"))
	if !gone["b1"] || gone["a1"] || len(q.byID) != 4 {
		t.Errorf("ended are %v, %d are left, want b1 ended and 4 left", gone, len(q.byID))
	}
	q.release(busy)
}

// A session ends after its time, which is short until the handshake is complete, and
// not while it is busy.
func TestSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, gone := newSessions(), ended{}
		q.release(gone.begin(t, q, "silent", "a"))
		ready := gone.begin(t, q, "ready", "a")
		q.ready(ready)
		q.release(ready)
		busy := gone.begin(t, q, "busy", "a")
		time.Sleep(handshakeTimeout + time.Second)
		synctest.Wait()
		if fmt.Sprint(gone) != "map[silent:true]" {
			t.Errorf("ended are %v, want silent alone", gone)
		}
		q.release(q.enter("ready", "a"))
		time.Sleep(sessionTimeout - time.Second)
		synctest.Wait()
		if gone["ready"] {
			t.Error("a session ended that was used")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !gone["ready"] || gone["busy"] {
			t.Errorf("ended are %v, want ready too, and not busy", gone)
		}
		q.release(busy)
		time.Sleep(handshakeTimeout + time.Second)
		synctest.Wait()
		if len(q.byID) != 0 || len(q.count) != 0 || q.idle.Len() != 0 {
			t.Errorf("%d sessions, %d callers, %d idle are left, want none", len(q.byID), len(q.count), q.idle.Len())
		}
	})
}
