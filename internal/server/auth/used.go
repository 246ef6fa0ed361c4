package auth

import (
	"context"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
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

	writing sync.Mutex // held while marks are written
	mu      sync.Mutex // guards all below
	marks   map[string]time.Time
	timer   *time.Timer // set while there are marks
	closed  bool
}

// mark notes that a key was used, by the store's clock.
func (u *lastUse) mark(id string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed || u.marks[id].After(at) {
		return
	}
	if u.timer == nil {
		u.marks, u.timer = map[string]time.Time{}, time.AfterFunc(usedEvery, u.tick)
	}
	u.marks[id] = at
}

// tick writes the marks of a minute.
func (u *lastUse) tick() {
	ctx, cancel := context.WithTimeout(context.Background(), usedTimeout)
	defer cancel()
	_ = u.write(ctx) // the next use is written again, and Close reports errors
}

// close writes all marks.
func (u *lastUse) close(ctx context.Context) error {
	u.mu.Lock()
	u.closed = true
	if u.timer != nil {
		u.timer.Stop()
	}
	u.mu.Unlock()
	return u.write(ctx)
}

// write writes the marks. It stops at the first error.
func (u *lastUse) write(ctx context.Context) error {
	u.writing.Lock()
	defer u.writing.Unlock()
	u.mu.Lock()
	marks := u.marks
	u.marks, u.timer = nil, nil
	u.mu.Unlock()
	for id, at := range marks {
		if err := writeUse(u.store.System(ctx), id, at); err != nil {
			return err
		}
	}
	return nil
}

// writeUse writes when a key was used last. A later use by another process stays.
func writeUse(system workspace.Records, id string, at time.Time) error {
	_, err := records.Update(system, usedPrefix+id, func(old workspace.Record) ([]byte, error) {
		if old.Revision == 0 {
			// A key that is gone gets no record: nobody would remove it.
			if key, err := records.Get(system, keyPrefix+id); err != nil || key.Revision == 0 {
				return nil, err
			}
		}
		if !at.After(parseUse(old.Value)) {
			return nil, nil
		}
		return at.UTC().Truncate(time.Microsecond).MarshalText()
	})
	return err
}

// parseUse returns the zero time for what is no time.
func parseUse(value []byte) (t time.Time) {
	if t.UnmarshalText(value) != nil {
		return time.Time{}
	}
	return t
}
