// Package session keeps the sessions of the protocols before 2026-07-28. It limits how many
// there are, in all and of each caller, and ends those that nobody uses.
package session

import (
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
}

// A Session is idle while it has no request under way.
type Session struct {
	Connection string // a name that is no secret

	id, caller  string
	close       func()      // ends the SDK's session; a second call does nothing
	busy        int         // requests and calls under way
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
	room := true
	if caller != q.Shared && q.count[caller] >= q.each {
		room = q.dropOldest(&gone, func(o *Session) bool { return o.caller == caller })
	}
	if room && len(q.byID) >= q.most {
		most := 0 // of the callers with an idle one; so callers with many sessions end their own, and no one else's
		for _, o := range q.byID {
			if o.busy == 0 {
				most = max(most, q.count[o.caller])
			}
		}
		room = q.dropOldest(&gone, func(o *Session) bool { return q.count[o.caller] == most })
	}
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
	var oldest *Session
	for _, s := range q.byID {
		if s.busy == 0 && fits(s) && (oldest == nil || s.since.Before(oldest.since)) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	q.drop(oldest)
	*gone = append(*gone, oldest)
	return true
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
	if s.timer != nil {
		s.timer.Stop()
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
	s.busy++
	return s
}

// Again adds a call under way to a session, until Release.
func (q *Set) Again(s *Session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.busy++
}

// Release ends a request or a call that Begin, Enter or Again has added.
func (q *Set) Release(s *Session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.busy--; s.busy > 0 || q.byID[s.id] != s {
		return
	}
	s.since = time.Now()
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
	over := s.busy == 0 && left <= 0
	switch {
	case over:
		q.drop(s)
	case s.busy == 0:
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
