package auth

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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
// A key has at most 64 sessions. Each Begin removes those of its key that are over.
type Sessions struct {
	keys  *Keys
	known *cache[credential, sessionRecord]
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

// add stores a session, and removes those of the key that are over and the oldest that are too
// many. Of several that are stored at once, the last to look sees all of them.
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
		switch {
		case err != nil:
			return err
		case found.Key == sessionKey(name):
		case decodeSession(found).live(r.Created):
			others = append(others, found)
		default:
			if _, err := records.Delete(system, found); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(others, func(a, b workspace.Record) int {
		return decodeSession(a).Created.Compare(decodeSession(b).Created)
	})
	many := others[:max(0, len(others)+1-maxSessions)]
	for _, o := range many {
		// One that has changed was signed out meanwhile; another Begin removes it.
		if _, err := records.Delete(system, o); err != nil {
			return err
		}
	}
	if len(many) > 0 {
		return s.keys.watch.raise(ctx)
	}
	return nil
}

// Verify returns the owner of a session's key, as [Keys.Verify] does. It implements
// [Verifier].
//
// A text that cannot be a session is refused without a look at the store. A session that
// was in use shortly before costs no read of its own.
func (s *Sessions) Verify(ctx context.Context, session string) (Caller, error) {
	name, ok := parseSession(session)
	if !ok {
		return Caller{}, ErrUnknown
	}
	now, err := s.keys.watch.current(ctx)
	if err != nil {
		return Caller{}, err
	}
	r, err := s.known.load(name, now, func() (sessionRecord, error) {
		found, err := s.keys.store.System(ctx).Get(sessionKey(name))
		return decodeSession(found), err
	})
	if err != nil && !errors.Is(err, workspace.ErrNotFound) { // one that does not exist has ended
		return Caller{}, unavailable(err)
	}
	if err != nil || !r.live(now.store) {
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
	err := s.keys.watch.update(ctx, sessionKey(name), func(found workspace.Record) ([]byte, error) {
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
