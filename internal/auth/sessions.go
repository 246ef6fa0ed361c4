package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sort"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/lru"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	sessionPrefix = "auth/session/" // and the id of the key, a slash and the hash of the session
	sessionAge    = 12 * time.Hour
	maxSessions   = 64 // of a key
)

// Sessions are people who have signed in with an API key. They are records of the store,
// so all processes have the same. [Keys.Sessions] returns them. They are safe for
// concurrent use.
//
// A session may do what its key may do at the moment. It ends 12 hours after it began, or
// with its key, or with the secret that it began with, or with [Sessions.End]. What ends
// it holds in this process at once, and in every other within a second. The clock that
// counts is the store's.
//
// A key has at most 64 sessions, also counting those that are over but not removed yet.
// Each Begin removes up to ten that are over, of any key.
type Sessions struct {
	keys  *Keys
	watch *watch

	mu      sync.Mutex // guards all below
	known   *lru.Map[sessionName, knownSession]
	refused *lru.Map[sessionName, read]
	swept   string // the record up to which Begin looked for sessions that are over; "": none
}

type knownSession struct {
	read
	record sessionRecord
}

func newSessions(k *Keys, now func() time.Time) *Sessions {
	return &Sessions{
		keys: k, watch: &watch{store: k.store, key: sessionGeneration, now: now},
		known: lru.New[sessionName, knownSession](maxKnown), refused: lru.New[sessionName, read](maxKnown),
	}
}

// Begin begins a session for whoever has an API key. The text of the session cannot be
// had again: the store has its hash. The session ends at until, or earlier. If the key
// has 64 others, the oldest of them ends. Errors: [ErrUnknown] and [ErrUnavailable].
func (s *Sessions) Begin(ctx context.Context, credential string) (session string, c Caller, until time.Time, err error) {
	c, err = s.keys.Verify(ctx, credential)
	if err != nil {
		return "", Caller{}, time.Time{}, err
	}
	id, secret, _ := parseKey(credential)
	records := s.keys.store.System(ctx)
	now, err := records.Now()
	if err != nil {
		return "", Caller{}, time.Time{}, unavailable(err)
	}
	r := sessionRecord{Secret: secret[:], Created: now}
	if r.Expires, err = endOf(records, id, secret, now); err != nil {
		return "", Caller{}, time.Time{}, err
	}
	session, name := newSession(id)
	if err := s.add(ctx, records, name, r); err != nil {
		return "", Caller{}, time.Time{}, unavailable(err)
	}
	s.sweep(records, now)
	return session, c, r.Expires, nil
}

// endOf returns when a session of a secret that begins now is to end. It reads the key
// again, which may have changed. Errors: [ErrUnknown] and [ErrUnavailable].
func endOf(records workspace.Records, id string, secret [sha256.Size]byte, now time.Time) (time.Time, error) {
	_, key, _, err := readKey(records, id)
	switch {
	case err != nil && !errors.Is(err, workspace.ErrNotFound):
		return time.Time{}, unavailable(err)
	case err != nil || !(knownKey{record: key}).permits(secret, now):
		return time.Time{}, ErrUnknown
	}
	end := now.Add(sessionAge)
	for _, until := range []time.Time{key.Expires, key.ends(secret)} {
		if !until.IsZero() && until.Before(end) {
			end = until
		}
	}
	return end, nil
}

// add stores a session, and removes the oldest of the key that are too many. Of several
// that are stored at once, the last to look sees all of them.
func (s *Sessions) add(ctx context.Context, records workspace.Records, name sessionName, r sessionRecord) error {
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := records.Put(name.record(), value, 0); err != nil {
		return err
	}
	var others []storedSession
	for found, err := range list(records, sessionsOf(name.key), "") {
		if err != nil {
			return err
		}
		if found.Key != name.record() {
			others = append(others, decodeSession(found))
		}
	}
	before := older(r.Created)
	sort.SliceStable(others, func(i, j int) bool { return before(others[i], others[j]) < 0 })
	ended := false
	for _, o := range others[:max(0, len(others)+1-maxSessions)] {
		if err := remove(records, o.Record); err != nil {
			return err
		}
		ended = ended || o.session.live(r.Created)
	}
	if ended {
		return s.watch.raise(ctx)
	}
	return nil
}

// sweep looks at a few records after those that it looked at before, and removes those
// whose session or key is over. The next sweep makes up for an error.
func (s *Sessions) sweep(records workspace.Records, now time.Time) {
	s.mu.Lock()
	after := s.swept
	s.mu.Unlock()
	page, err := records.List(sessionPrefix, after, maxSweep)
	if err == nil {
		for _, found := range page {
			if r := decodeSession(found); !r.session.live(now) || keyIsOver(records, r, now) {
				_ = remove(records, found)
			}
		}
	}
	next := ""
	if len(page) == maxSweep {
		next = page[maxSweep-1].Key
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swept = next
}

// keyIsOver reports whether no session of the secret can be used again: a key that has
// expired can be given more time. It reports false if that cannot be found out.
func keyIsOver(records workspace.Records, r storedSession, now time.Time) bool {
	_, key, _, err := readKey(records, r.id)
	if err != nil {
		return errors.Is(err, workspace.ErrNotFound)
	}
	return !key.Revoked.IsZero() || !key.accepts(r.session.secret(), now)
}

// remove removes a record that may be gone.
func remove(records workspace.Records, r workspace.Record) error {
	err := records.Delete(r.Key, r.Revision)
	if errors.Is(err, workspace.ErrConflict) {
		return nil // signed out meanwhile; another Begin removes it
	}
	return ignoreNotFound(err)
}

// Verify returns the owner of a session's key, as [Keys.Verify] does. It implements
// [Verifier].
//
// A text that cannot be a session is refused without a look at the store. A session that
// was in use shortly before costs no read of its own. All sessions together cost a read
// of the store each 250 ms, beside those of the keys.
func (s *Sessions) Verify(ctx context.Context, session string) (Caller, error) {
	name, ok := parseSession(session)
	if !ok {
		return Caller{}, ErrUnknown
	}
	l, err := s.watch.current(ctx)
	if err != nil {
		return Caller{}, err
	}
	process := s.watch.now()
	found, refused := s.remembered(name, l, process)
	if refused {
		return Caller{}, ErrUnknown
	}
	if found.at.IsZero() {
		if found, err = s.fetch(ctx, name, read{l.generation, process}); err != nil {
			return Caller{}, err
		}
	}
	if !found.record.live(l.now(process)) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.known.Delete(name)
		s.refused.Put(name, found.read)
		return Caller{}, ErrUnknown
	}
	return s.keys.verify(ctx, name.key, found.record.secret())
}

// Known is Verify for a session that this process has found before, so that it is no guess.
// ok is false for any other, and for a session that has ended.
func (s *Sessions) Known(ctx context.Context, session string) (c Caller, ok bool) {
	name, ok := parseSession(session)
	if !ok {
		return Caller{}, false
	}
	s.mu.Lock()
	_, ok = s.known.Get(name)
	s.mu.Unlock()
	if !ok {
		return Caller{}, false
	}
	c, err := s.Verify(ctx, session)
	return c, err == nil
}

// remembered returns what is known of a session, the zero value if nothing is.
func (s *Sessions) remembered(name sessionName, l look, now time.Time) (found knownSession, refused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.refused.Get(name); ok && before.holds(l, now) {
		return knownSession{}, true
	}
	if found, ok := s.known.Get(name); ok && found.holds(l, now) {
		return found, false
	}
	return knownSession{}, false
}

// fetch reads a session, and remembers it if there is one. One that does not exist has
// ended.
func (s *Sessions) fetch(ctx context.Context, name sessionName, begun read) (found knownSession, err error) {
	found.read = begun
	r, err := s.keys.store.System(ctx).Get(name.record())
	if errors.Is(err, workspace.ErrNotFound) {
		return found, nil
	}
	if err != nil {
		return found, unavailable(err)
	}
	found.record = decodeSession(r).session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Put(name, found)
	return found, nil
}

// End ends a session. It can be repeated, and ends nothing if there is no such session.
// Errors: those of the store; after one of them, End has to be repeated.
func (s *Sessions) End(ctx context.Context, session string) error {
	name, ok := parseSession(session)
	if !ok {
		return nil
	}
	err := end(s.keys.store.System(ctx), name)
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		return nil
	case err != nil && !errors.Is(err, workspace.ErrOutcomeUnknown):
		return err
	}
	return errors.Join(err, s.watch.raiseAfter(ctx))
}

// end marks a session as ended. The record stays, so that an End which was killed before
// it raised the generation can be repeated.
func end(records workspace.Records, name sessionName) error {
	for range maxTries {
		r, err := records.Get(name.record())
		if err != nil {
			return err
		}
		found := decodeSession(r).session
		if found.Ended {
			return nil
		}
		found.Ended = true
		value, err := json.Marshal(found)
		if err != nil {
			return err
		}
		if _, err = records.Put(r.Key, value, r.Revision); !errors.Is(err, workspace.ErrConflict) {
			return err
		}
	}
	return errBusy()
}
