package memstore

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A record is a record of the installation.
type record store.Record

func (*record) lists() bool { return true }

func (r *record) copy() store.Record {
	c := store.Record(*r)
	c.Value = slices.Clone(c.Value)
	return c
}

// records is the [store.Records] of a store for one context.
type records struct {
	ctx   context.Context
	store *Store
}

// System returns the records of the installation.
func (s *Store) System(ctx context.Context) store.Records { return records{ctx, s} }

// run calls fn while it holds the lock of the records.
func (r records) run(op, key string, fn func(*table[*record]) error) error {
	err := withdrawn(r.ctx)
	if err == nil {
		r.store.mu.Lock()
		defer r.store.mu.Unlock()
		if r.store.closed {
			err = store.ErrClosed
		} else {
			err = fn(&r.store.records)
		}
	}
	if err != nil {
		return failed(err, "%s record %.80q", op, key)
	}
	return nil
}

func (r records) Get(key string) (found store.Record, err error) {
	err = r.run("get", key, func(t *table[*record]) error {
		old := t.get(key)
		if old == nil {
			return store.ErrNotFound
		}
		found = old.copy()
		return nil
	})
	return found, err
}

func (r records) Put(key string, value []byte, revision int64) (drawn int64, err error) {
	err = r.run("put", key, func(t *table[*record]) error {
		var at int64
		if old := t.get(key); old != nil {
			at = old.Revision
		}
		if at != revision {
			return store.Errorf(store.ErrConflict, "at revision %d, not %d", at, revision)
		}
		drawn = 1 + rand.Int64N(math.MaxInt64) // of 63 bits: none comes twice
		t.set(key, &record{Key: key, Value: slices.Clone(value), Revision: drawn, Updated: stored(time.Now())})
		return nil
	})
	return drawn, err
}

// Restore keeps the record's revision and time.
func (r records) Restore(rec store.Record) error {
	return r.run("restore", rec.Key, func(t *table[*record]) error {
		switch {
		case rec.Revision <= 0:
			return store.Errorf(store.ErrInvalid, "its revision is %d", rec.Revision)
		case t.get(rec.Key) != nil:
			return store.Errorf(store.ErrConflict, "it is there already")
		}
		kept := record(rec)
		kept.Value, kept.Updated = slices.Clone(rec.Value), stored(rec.Updated)
		t.set(rec.Key, &kept)
		return nil
	})
}

func (r records) Delete(key string, revision int64) error {
	return r.run("delete", key, func(t *table[*record]) error {
		old := t.get(key)
		if old == nil {
			return store.ErrNotFound
		}
		if old.Revision != revision {
			return store.Errorf(store.ErrConflict, "at revision %d, not %d", old.Revision, revision)
		}
		t.set(key, nil)
		return nil
	})
}

func (r records) List(prefix, after string, limit int) (list []store.Record, err error) {
	err = r.run("list", prefix, func(t *table[*record]) error {
		for _, found := range t.list(prefix, after, limit) {
			list = append(list, found.copy())
		}
		return nil
	})
	return list, err
}

// Now returns the time of this process, the only one that has the store.
func (r records) Now() (now time.Time, err error) {
	err = r.run("read the clock for", "", func(*table[*record]) error {
		now = stored(time.Now())
		return nil
	})
	return now, err
}
