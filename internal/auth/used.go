package auth

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	usedPrefix  = "auth/used/" // and the id of the key
	usedEvery   = time.Minute
	usedTimeout = 30 * time.Second
)

// lastUse writes down when keys were used last, a minute later. The record is not that of
// the key, so that a use is in nobody's way.
type lastUse struct {
	store workspace.Store

	mu     sync.Mutex // guards all below
	marks  map[string]time.Time
	timer  *time.Timer // set while there are marks
	closed bool
	writes sync.WaitGroup
}

// mark notes that a key was used, by the store's clock.
func (u *lastUse) mark(id string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.marks[id]; u.closed || !ok && len(u.marks) >= maxKnown {
		return
	}
	if u.marks == nil {
		u.marks = map[string]time.Time{}
	}
	u.marks[id] = at
	if u.timer == nil {
		u.writes.Add(1)
		u.timer = time.AfterFunc(usedEvery, u.tick)
	}
}

// tick writes the marks of a minute.
func (u *lastUse) tick() {
	defer u.writes.Done()
	ctx, cancel := context.WithTimeout(context.Background(), usedTimeout)
	defer cancel()
	u.mu.Lock()
	u.timer = nil
	u.mu.Unlock()
	_ = u.write(ctx, usedEvery) // the next use is written again, and Close reports errors
}

// close writes all marks.
func (u *lastUse) close(ctx context.Context) error {
	u.mu.Lock()
	u.closed = true
	if u.timer != nil && u.timer.Stop() {
		u.writes.Done()
	}
	u.timer = nil
	u.mu.Unlock()
	u.writes.Wait()
	return u.write(ctx, 0)
}

// write writes the marks whose records are at least so old. It stops at the first error.
func (u *lastUse) write(ctx context.Context, age time.Duration) error {
	u.mu.Lock()
	marks := u.marks
	u.marks = nil
	u.mu.Unlock()
	records := u.store.System(ctx)
	for id, at := range marks {
		wrote, err := writeUse(records, id, at, age)
		if err != nil {
			return err
		}
		if !wrote {
			u.keep(id, at)
		}
	}
	return nil
}

// keep keeps a mark for the next minute, unless there is a newer one.
func (u *lastUse) keep(id string, at time.Time) {
	u.mu.Lock()
	newer := u.marks[id]
	u.mu.Unlock()
	if newer.IsZero() {
		u.mark(id, at)
	}
}

// writeUse writes when a key was used last. It reports false if the record is not old
// enough. A later use by another process stays.
func writeUse(records workspace.Records, id string, at time.Time, age time.Duration) (bool, error) {
	for range maxTries {
		r, err := records.Get(usedPrefix + id)
		if errors.Is(err, workspace.ErrNotFound) {
			// A key that is gone gets no record: nobody would remove it.
			if _, err := records.Get(keyPrefix + id); err != nil {
				return errors.Is(err, workspace.ErrNotFound), ignoreNotFound(err)
			}
		} else if err != nil {
			return false, err
		}
		before := parseUse(r.Value)
		if !at.After(before) {
			return true, nil
		}
		now, err := records.Now()
		if err != nil {
			return false, err
		}
		if now.Sub(before) < age {
			return false, nil
		}
		value, err := at.UTC().Truncate(time.Microsecond).MarshalText()
		if err != nil {
			return false, err
		}
		_, err = records.Put(usedPrefix+id, value, r.Revision)
		if !errors.Is(err, workspace.ErrConflict) {
			return err == nil, err
		}
	}
	return false, errBusy()
}

func ignoreNotFound(err error) error {
	if errors.Is(err, workspace.ErrNotFound) {
		return nil
	}
	return err
}

// readUse returns when a key was used last, the zero time if that is not known.
func readUse(records workspace.Records, id string) (time.Time, error) {
	r, err := records.Get(usedPrefix + id)
	return parseUse(r.Value), ignoreNotFound(err)
}

// parseUse returns the zero time for what is no time.
func parseUse(value []byte) (t time.Time) {
	if t.UnmarshalText(value) != nil {
		return time.Time{}
	}
	return t
}
