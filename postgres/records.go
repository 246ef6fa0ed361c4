package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// records is a [store.Records] on the store.
type records struct {
	ctx context.Context
	s   *Store
}

// System implements [store.Store].
func (s *Store) System(ctx context.Context) store.Records { return records{ctx, s} }

func (r records) Get(key string) (rec store.Record, err error) {
	found := false
	err = r.s.view(r.ctx, func(sn *snapshot) error {
		found = false
		return sn.do(wire.Statement{SQL: "SELECT " + store.RecordColumns + " FROM records WHERE key = $1",
			Args: []any{key},
			Row: func(row *wire.Fields) error {
				found = true
				return row.Scan(rec.Fields()...)
			}})
	})
	if err == nil && !found {
		err = store.MissingRecord(key)
	}
	return rec, err
}

func (r records) Put(key string, value []byte, revision int64) (int64, error) {
	next := rand.Int64N(1<<62) + 1 // practically never drawn twice
	put := wire.Statement{
		SQL: "INSERT INTO records (" + store.RecordColumns +
			") VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT (key) DO NOTHING",
		Args: []any{key, value, next},
	}
	if revision != 0 {
		put = wire.Statement{
			SQL: "UPDATE records SET value = $2, revision = $3, updated = clock_timestamp() WHERE key = $1 AND " +
				"revision = $4",
			Args: []any{key, value, next, revision},
		}
	}
	err := r.s.write(r.ctx, "", func(t *tx) error { return t.change(put, key) })
	if err != nil {
		return 0, err
	}
	return next, nil
}

func (r records) Restore(rec store.Record) error {
	if rec.Revision <= 0 {
		return store.Errorf(store.ErrInvalid, "record %q: its revision is %d", rec.Key, rec.Revision)
	}
	restore := wire.Statement{
		SQL:  "INSERT INTO records (" + store.RecordColumns + ") VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING",
		Args: []any{rec.Key, rec.Value, rec.Revision, rec.Updated},
	}
	return r.s.write(r.ctx, "", func(t *tx) error { return t.change(restore, rec.Key) })
}

// change runs a statement that changes a record if it is at its revision.
func (t *tx) change(s wire.Statement, key string) error {
	changed := 0
	s.Done = func(n int) { changed = n }
	t.sent = true
	if err := t.do(s); err != nil {
		return err
	}
	if changed == 0 {
		return store.ChangedRecord(key)
	}
	return nil
}

func (r records) Delete(key string, revision int64) error {
	return r.s.write(r.ctx, "", func(t *tx) error {
		there := false
		err := t.do(wire.Statement{
			SQL: "SELECT 1::bigint FROM records WHERE key = $1 FOR UPDATE", Args: []any{key},
			New: func() { there = false },
			Row: func(*wire.Fields) error { there = true; return nil },
		})
		if err != nil {
			return err
		}
		if !there {
			t.sent = true // confirm has nothing that is locked
			return store.MissingRecord(key)
		}
		return t.change(wire.Statement{SQL: "DELETE FROM records WHERE key = $1 AND revision = $2",
			Args: []any{key, revision}}, key)
	})
}

func (r records) List(prefix, after string, limit int) (list []store.Record, err error) {
	err = r.s.view(r.ctx, func(sn *snapshot) error {
		list = nil
		args := []any{int64(limit)}
		where := inRange("key", prefix, after, &args)
		return sn.do(wire.Statement{
			SQL:  "SELECT " + store.RecordColumns + " FROM records WHERE " + where + " ORDER BY key LIMIT $1",
			Args: args,
			Row: func(row *wire.Fields) error {
				list = append(list, store.Record{})
				return row.Scan(list[len(list)-1].Fields()...)
			},
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Now returns the time of the server's clock.
func (r records) Now() (now time.Time, err error) {
	err = r.s.view(r.ctx, func(sn *snapshot) error {
		return sn.do(wire.Statement{SQL: "SELECT clock_timestamp()", Row: wire.Into(&now)})
	})
	return now, err
}
