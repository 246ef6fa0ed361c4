// Package session keeps the sessions of the protocols before 2026-07-28. It limits how many
// there are, in all and of each caller, and ends those that nobody uses.
package session

import (
	"container/list"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// Limits of sessions.
const (
	MaxOfCaller = 64
	Handshake   = 2 * time.Minute // the time without a request before the handshake is complete

	maxAll      = 4096
	idleTimeout = 30 * time.Minute // without a request
)

// ErrFull refuses a session for which there is no room.
var ErrFull = errors.New("all sessions are in use; close one, or try again")

// A Set has the sessions of one server. A session belongs to its caller: to everybody else
// it does not exist. Many goroutines may use a Set.
type Set struct {
	// Shared is the caller that stands for many clients and may have as many sessions as
	// there are; "": none. It is set before the first session begins.
	Shared string

	most, each         int // how many there may be, in all and of a caller
	handshake, timeout time.Duration

	mu    sync.Mutex // guards the following, and the fields of the sessions
	byID  map[string]*Session
	count map[string]int // by caller
	idle  list.List      // of *Session without a request under way; the one that has been idle longest first
}

// A Session either has a place among the idle sessions or has requests under way.
type Session struct {
	Connection string // a name that is no secret

	id, caller  string
	close       func() // ends the SDK's session; a second call does nothing
	busy        int    // requests and calls under way
	place       *list.Element
	since       time.Time   // when it became idle
	timer       *time.Timer // looks whether it has been idle for too long; nil: nobody does
	initialized bool
}

// NewConnection returns a name for a connection or a session, which tells its writes from
// those of others.
func NewConnection() string { return rand.Text()[:12] }

// NewSet returns a Set without sessions.
func NewSet() *Set {
	return &Set{
		most: maxAll, each: MaxOfCaller, handshake: Handshake, timeout: idleTimeout,
		byID: map[string]*Session{}, count: map[string]int{},
	}
}

// Begin adds a session with one request under way, the one that begins it. If there is
// no room, the session that has been idle longest ends: of the caller first, and then of
// the caller who has most. If none is idle, the error is ErrFull.
func (q *Set) Begin(id, caller string, end func()) (*Session, error) {
	s := &Session{id: id, caller: caller, Connection: NewConnection(), close: end, busy: 1}
	var gone []*Session
	q.mu.Lock()
	room := caller == q.Shared || q.count[caller] < q.each ||
		q.dropOldest(&gone, func(o *Session) bool { return o.caller == caller })
	room = room && (len(q.byID) < q.most || q.dropOldestOfMany(&gone))
	if room {
		q.byID[id] = s
		q.count[caller]++
	}
	q.mu.Unlock()
	for _, o := range gone {
		o.close() // waits for the SDK, which may be about to take mu
	}
	if !room {
		return nil, ErrFull
	}
	return s, nil
}

// dropOldest drops the fitting session that has been idle longest, and adds it to gone.
// The caller holds mu.
func (q *Set) dropOldest(gone *[]*Session, fits func(*Session) bool) bool {
	for e := q.idle.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*Session); fits(s) {
			q.drop(s)
			*gone = append(*gone, s)
			return true
		}
	}
	return false
}

// dropOldestOfMany drops a session of the caller who has most of those with an idle one.
// So callers with many sessions end their own, and no one else's. The caller holds mu.
func (q *Set) dropOldestOfMany(gone *[]*Session) bool {
	var many *Session
	for e := q.idle.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*Session); many == nil || q.count[s.caller] > q.count[many.caller] {
			many = s
		}
	}
	return q.dropOldest(gone, func(s *Session) bool { return s == many })
}

// drop forgets a session. The caller holds mu.
func (q *Set) drop(s *Session) {
	if q.byID[s.id] != s {
		return
	}
	delete(q.byID, s.id)
	if q.count[s.caller]--; q.count[s.caller] == 0 {
		delete(q.count, s.caller)
	}
	q.leaveIdle(s)
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (q *Set) leaveIdle(s *Session) {
	if s.place != nil {
		q.idle.Remove(s.place)
		s.place = nil
	}
}

// Open returns how many sessions there are.
func (q *Set) Open() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.byID)
}

// Enter returns the caller's session with the id, or nil if there is none. The session has
// one more request under way until Release.
func (q *Set) Enter(id, caller string) *Session {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.byID[id]
	if s == nil || s.caller != caller {
		return nil
	}
	q.hold(s)
	return s
}

// Again adds a call under way to a session, until Release.
func (q *Set) Again(s *Session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hold(s)
}

func (q *Set) hold(s *Session) {
	q.leaveIdle(s)
	s.busy++
}

// Release ends a request or a call that Begin, Enter or Again has added.
func (q *Set) Release(s *Session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.busy--; s.busy > 0 || q.byID[s.id] != s {
		return
	}
	s.place, s.since = q.idle.PushBack(s), time.Now()
	if s.timer == nil {
		s.timer = time.AfterFunc(q.patience(s), func() { q.expire(s) })
	}
}

func (q *Set) patience(s *Session) time.Duration {
	if s.initialized {
		return q.timeout
	}
	return q.handshake
}

// expire ends a session if it has been idle for too long. If not, it looks again later.
func (q *Set) expire(s *Session) {
	q.mu.Lock()
	left := q.patience(s) - time.Since(s.since)
	over := s.place != nil && left <= 0
	switch {
	case over:
		q.drop(s)
	case s.place != nil:
		s.timer.Reset(left)
	default:
		s.timer = nil // until it is idle
	}
	q.mu.Unlock()
	if over {
		s.close()
	}
}

// SetHandshake changes the time without a request before the handshake is complete.
func (q *Set) SetHandshake(timeout time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.handshake = timeout
}

// Ready notes that the handshake of a session is complete.
func (q *Set) Ready(s *Session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.initialized = true
}

// End ends a session because its caller wants it, even if the SDK has not. It waits for the
// calls under way.
func (q *Set) End(s *Session) {
	q.mu.Lock()
	q.drop(s)
	q.mu.Unlock()
	s.close()
}

// EndAll ends all sessions, and waits for their calls under way.
func (q *Set) EndAll() {
	var all []*Session
	q.mu.Lock()
	for _, s := range q.byID {
		q.drop(s)
		all = append(all, s)
	}
	q.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}
