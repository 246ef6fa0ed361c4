package mcpserver

import (
	"container/list"
	"errors"
	"sync"
	"time"
)

// Limits of sessions.
const (
	maxSessions       = 4096
	maxCallerSessions = 64
	handshakeTimeout  = 2 * time.Minute  // before notifications/initialized
	sessionTimeout    = 30 * time.Minute // without a request
)

var errSessions = errors.New("all sessions are in use; close one, or try again")

// sessions are the sessions of one server. A session belongs to its caller: to everybody
// else it does not exist.
type sessions struct {
	most, each         int    // how many there may be, in all and of a caller
	shared             string // the caller that stands for many clients and is not limited by each; "": none
	handshake, timeout time.Duration

	mu    sync.Mutex // guards the following, and the fields of the sessions
	byID  map[string]*session
	count map[string]int // by caller
	idle  list.List      // of *session without a request under way; the one that has been idle longest first
}

// A session either has a place among the idle sessions or has requests under way.
type session struct {
	id, caller  string
	connection  string // a name that is no secret
	close       func() // ends the SDK's session; a second call does nothing
	busy        int    // requests and calls under way
	place       *list.Element
	since       time.Time   // when it became idle
	timer       *time.Timer // looks whether it has been idle for too long; nil: nobody does
	initialized bool
}

func newSessions() *sessions {
	return &sessions{
		most: maxSessions, each: maxCallerSessions, handshake: handshakeTimeout, timeout: sessionTimeout,
		byID: map[string]*session{}, count: map[string]int{},
	}
}

// begin adds a session with one request under way, the one that begins it. If there is
// no room, the session that has been idle longest ends: of the caller first, and then of
// the caller who has most. If none is idle, the error is errSessions.
func (q *sessions) begin(id, caller string, end func()) (*session, error) {
	s := &session{id: id, caller: caller, connection: newConnection(), close: end, busy: 1}
	var gone []*session
	q.mu.Lock()
	room := caller == q.shared || q.count[caller] < q.each || q.dropOldest(&gone, func(o *session) bool { return o.caller == caller })
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
		return nil, errSessions
	}
	return s, nil
}

// dropOldest drops the fitting session that has been idle longest, and adds it to gone.
// The caller holds mu.
func (q *sessions) dropOldest(gone *[]*session, fits func(*session) bool) bool {
	for e := q.idle.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*session); fits(s) {
			q.drop(s)
			*gone = append(*gone, s)
			return true
		}
	}
	return false
}

// dropOldestOfMany drops a session of the caller who has most of those with an idle one.
// So callers with many sessions end their own, and no one else's. The caller holds mu.
func (q *sessions) dropOldestOfMany(gone *[]*session) bool {
	var many *session
	for e := q.idle.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*session); many == nil || q.count[s.caller] > q.count[many.caller] {
			many = s
		}
	}
	return q.dropOldest(gone, func(s *session) bool { return s == many })
}

// drop forgets a session. The caller holds mu.
func (q *sessions) drop(s *session) {
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

func (q *sessions) leaveIdle(s *session) {
	if s.place != nil {
		q.idle.Remove(s.place)
		s.place = nil
	}
}

// open returns how many sessions there are.
func (q *sessions) open() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.byID)
}

// enter returns the caller's session with the id, or nil if there is none. The session has
// one more request under way until release.
func (q *sessions) enter(id, caller string) *session {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.byID[id]
	if s == nil || s.caller != caller {
		return nil
	}
	q.hold(s)
	return s
}

// again adds a call under way to a session, until release.
func (q *sessions) again(s *session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hold(s)
}

func (q *sessions) hold(s *session) {
	q.leaveIdle(s)
	s.busy++
}

// release ends a request or a call that begin, enter or again has added.
func (q *sessions) release(s *session) {
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

func (q *sessions) patience(s *session) time.Duration {
	if s.initialized {
		return q.timeout
	}
	return q.handshake
}

// expire ends a session if it has been idle for too long. If not, it looks again later.
func (q *sessions) expire(s *session) {
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

// ready notes that the handshake of a session is complete.
func (q *sessions) ready(s *session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.initialized = true
}

// end ends a session because its caller wants it, even if the SDK has not.
func (q *sessions) end(s *session) {
	q.mu.Lock()
	q.drop(s)
	q.mu.Unlock()
	s.close()
}

// endAll ends all sessions, and waits for their calls under way.
func (q *sessions) endAll() {
	var all []*session
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
