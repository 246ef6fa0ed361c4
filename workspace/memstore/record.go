package memstore

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/btree"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// records is the [store.Records] of a store for one context.
type records struct {
	ctx   context.Context
	store *Store
}

// System returns the records of the installation.
func (s *Store) System(ctx context.Context) store.Records { return records{ctx, s} }

// run calls fn while it holds the lock of the records.
func (r records) run(fn func(*btree.Map[string, store.Record]) error) error {
	if err := r.store.begin(r.ctx); err != nil {
		return err
	}
	defer r.store.active.Done()
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return fn(&r.store.records)
}

// copied returns a record as the store keeps it, with a value of its own.
func copied(rec store.Record) store.Record {
	rec.Value, rec.Updated = slices.Clone(rec.Value), stored(rec.Updated)
	return rec
}

func (r records) Get(key string) (found store.Record, err error) {
	err = r.run(func(all *btree.Map[string, store.Record]) error {
		rec, ok := all.Get(key)
		if !ok {
			return store.MissingRecord(key)
		}
		found = copied(rec)
		return nil
	})
	return found, err
}

func (r records) Put(key string, value []byte, revision int64) (int64, error) {
	drawn := 1 + rand.Int64N(math.MaxInt64) // of 63 bits: none comes twice
	return drawn, r.put(store.Record{Key: key, Value: value, Revision: drawn, Updated: time.Now()}, revision)
}

// Restore keeps the record's revision and time.
func (r records) Restore(rec store.Record) error {
	if rec.Revision <= 0 {
		return store.Errorf(store.ErrInvalid, "record %q: its revision is %d", rec.Key, rec.Revision)
	}
	return r.put(rec, 0)
}

// put stores a record in place of one at a revision; 0: there is none.
func (r records) put(rec store.Record, revision int64) error {
	return r.run(func(all *btree.Map[string, store.Record]) error {
		if old, _ := all.Get(rec.Key); old.Revision != revision {
			return store.ChangedRecord(rec.Key)
		}
		all.Set(rec.Key, copied(rec))
		return nil
	})
}

func (r records) Delete(key string, revision int64) error {
	return r.run(func(all *btree.Map[string, store.Record]) error {
		switch old, ok := all.Get(key); {
		case !ok:
			return store.MissingRecord(key)
		case old.Revision != revision:
			return store.ChangedRecord(key)
		}
		all.Delete(key)
		return nil
	})
}

func (r records) List(prefix, after string, limit int) (list []store.Record, err error) {
	err = r.run(func(all *btree.Map[string, store.Record]) error {
		all.Ascend(max(prefix, after), func(key string, rec store.Record) bool {
			if len(list) == limit || !strings.HasPrefix(key, prefix) {
				return false
			}
			if key > after {
				list = append(list, copied(rec))
			}
			return true
		})
		return nil
	})
	return list, err
}

// Now returns the time of this process, the only one that has the store.
func (r records) Now() (now time.Time, err error) {
	err = r.run(func(*btree.Map[string, store.Record]) error {
		now = stored(time.Now())
		return nil
	})
	return now, err
}
