package auth

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
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

	known   *cache[credential, sessionRecord]
	refused *cache[credential, struct{}]

	mu    sync.Mutex // guards swept
	swept string     // the record up to which Begin looked for sessions that are over; "": none
}

func newSessions(k *Keys, now func() time.Time) *Sessions {
	return &Sessions{
		keys: k, watch: &watch{store: k.store, key: sessionGeneration, now: now},
		known: newCache[credential, sessionRecord](), refused: newCache[credential, struct{}](),
	}
}

// Begin begins a session for whoever has an API key. The text of the session cannot be
// had again: the store has its hash. The session ends at until, or earlier. If the key
// has 64 others, the oldest of them ends. Errors: [ErrUnknown] and [ErrUnavailable].
func (s *Sessions) Begin(ctx context.Context, text string) (session string, c Caller, until time.Time, err error) {
	c, err = s.keys.Verify(ctx, text)
	if err != nil {
		return "", Caller{}, time.Time{}, err
	}
	key, _ := parseKey(text)
	system := s.keys.store.System(ctx)
	now, err := system.Now()
	if err != nil {
		return "", Caller{}, time.Time{}, unavailable(err)
	}
	r := sessionRecord{Secret: key.hash[:], Created: now}
	if r.Expires, err = endOf(system, key, now); err != nil {
		return "", Caller{}, time.Time{}, err
	}
	session, name := newSession(key.id)
	if err := s.add(ctx, system, name, r); err != nil {
		return "", Caller{}, time.Time{}, unavailable(err)
	}
	s.sweep(system, now)
	return session, c, r.Expires, nil
}

// endOf returns when a session of a secret that begins now is to end. It reads the key
// again, which may have changed. Errors: [ErrUnknown] and [ErrUnavailable].
func endOf(system workspace.Records, key credential, now time.Time) (time.Time, error) {
	r, err := readKey(system, key.id)
	switch {
	case err != nil && !errors.Is(err, workspace.ErrNotFound):
		return time.Time{}, unavailable(err)
	case err != nil || !r.permits(key.hash, now):
		return time.Time{}, ErrUnknown
	}
	end := now.Add(sessionAge)
	for _, until := range []time.Time{r.Expires, r.ends(key.hash)} {
		if !until.IsZero() && until.Before(end) {
			end = until
		}
	}
	return end, nil
}

// add stores a session, and removes the oldest of the key that are too many. Of several
// that are stored at once, the last to look sees all of them.
func (s *Sessions) add(ctx context.Context, system workspace.Records, name credential, r sessionRecord) error {
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := system.Put(sessionKey(name), value, 0); err != nil {
		return err
	}
	var others []workspace.Record
	for found, err := range records.All(system, sessionsOf(name.id), "") {
		if err != nil {
			return err
		}
		if found.Key != sessionKey(name) {
			others = append(others, found)
		}
	}
	// Those that are over can be spared first, then the oldest.
	spared := func(found workspace.Record) time.Time {
		if o := decodeSession(found); o.live(r.Created) {
			return o.Created
		}
		return time.Time{}
	}
	slices.SortStableFunc(others, func(a, b workspace.Record) int { return spared(a).Compare(spared(b)) })
	ended := false
	for _, o := range others[:max(0, len(others)+1-maxSessions)] {
		// One that has changed was signed out meanwhile; another Begin removes it.
		if _, err := records.Delete(system, o); err != nil {
			return err
		}
		ended = ended || decodeSession(o).live(r.Created)
	}
	if ended {
		return s.watch.raise(ctx)
	}
	return nil
}

// sweep looks at a few records after those that it looked at before, and removes those
// whose session or key is over. The next sweep makes up for an error.
func (s *Sessions) sweep(system workspace.Records, now time.Time) {
	s.mu.Lock()
	after := s.swept
	s.mu.Unlock()
	page, err := system.List(sessionPrefix, after, maxSweep)
	if err == nil {
		for _, found := range page {
			if r := decodeSession(found); !r.live(now) || keyIsOver(system, found, r, now) {
				_, _ = records.Delete(system, found)
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
func keyIsOver(system workspace.Records, found workspace.Record, r sessionRecord, now time.Time) bool {
	id, _, _ := strings.Cut(strings.TrimPrefix(found.Key, sessionPrefix), "/")
	key, err := readKey(system, id)
	if err != nil {
		return errors.Is(err, workspace.ErrNotFound)
	}
	return !key.Revoked.IsZero() || !key.accepts(r.secret(), now)
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
	now, err := s.watch.current(ctx)
	if err != nil {
		return Caller{}, err
	}
	if s.refused.get(name).holds(now) {
		return Caller{}, ErrUnknown
	}
	r, err := s.known.load(name, now, func() (sessionRecord, error) {
		found, err := s.keys.store.System(ctx).Get(sessionKey(name))
		return decodeSession(found), err
	})
	if err != nil && !errors.Is(err, workspace.ErrNotFound) { // one that does not exist has ended
		return Caller{}, unavailable(err)
	}
	if err != nil || !r.live(now.store) {
		s.refused.put(name, now, struct{}{})
		return Caller{}, ErrUnknown
	}
	return s.keys.verify(ctx, credential{name.id, r.secret()})
}

// Known is Verify for a session that this process has found before, so that it is no guess.
// ok is false for any other, and for a session that has ended.
func (s *Sessions) Known(ctx context.Context, session string) (c Caller, ok bool) {
	name, ok := parseSession(session)
	if !ok || s.known.get(name).process.IsZero() {
		return Caller{}, false
	}
	c, err := s.Verify(ctx, session)
	return c, err == nil
}

// End ends a session. It can be repeated, and ends nothing if there is no such session.
// Errors: those of the store; after one of them, End has to be repeated.
//
// The record stays, so that an End which was killed before it told the other processes can
// be repeated.
func (s *Sessions) End(ctx context.Context, session string) error {
	name, ok := parseSession(session)
	if !ok {
		return nil
	}
	errNone := errors.New("there is no such session")
	err := s.watch.update(ctx, sessionKey(name), func(found workspace.Record) ([]byte, error) {
		r := decodeSession(found)
		switch {
		case found.Revision == 0:
			return nil, errNone
		case r.Ended:
			return nil, nil
		}
		r.Ended = true
		return json.Marshal(r)
	})
	if err == errNone {
		return nil
	}
	return err
}
