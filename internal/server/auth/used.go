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
	if last, ok := u.marks[id]; u.closed || last.After(at) || !ok && len(u.marks) >= maxKnown {
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
	for id, at := range marks {
		later, err := writeUse(u.store.System(ctx), id, at, age)
		if err != nil {
			return err
		}
		if later {
			u.mark(id, at)
		}
	}
	return nil
}

// writeUse writes when a key was used last. later reports that the record is not old
// enough. A later use by another process stays.
func writeUse(system workspace.Records, id string, at time.Time, age time.Duration) (later bool, err error) {
	_, err = records.Update(system, usedPrefix+id, func(old workspace.Record) ([]byte, error) {
		if old.Revision == 0 {
			// A key that is gone gets no record: nobody would remove it.
			if key, err := records.Get(system, keyPrefix+id); err != nil || key.Revision == 0 {
				return nil, err
			}
		}
		before := parseUse(old.Value)
		if !at.After(before) {
			return nil, nil
		}
		now, err := system.Now()
		if later = now.Sub(before) < age; later || err != nil {
			return nil, err
		}
		return at.UTC().Truncate(time.Microsecond).MarshalText()
	})
	return later, err
}

// parseUse returns the zero time for what is no time.
func parseUse(value []byte) (t time.Time) {
	if t.UnmarshalText(value) != nil {
		return time.Time{}
	}
	return t
}
