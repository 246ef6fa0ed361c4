package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const upsertRecord = "INSERT OR REPLACE INTO records (" + row.RecordColumns + ") VALUES (?, ?, ?, ?, ?)"

// records is a [store.Records] on the store.
type records struct {
	ctx context.Context
	s   *Store
}

// System implements [store.Store].
func (s *Store) System(ctx context.Context) store.Records { return records{ctx, s} }

func (r records) Get(key string) (rec store.Record, err error) {
	err = r.s.read(r.ctx, func(c *conn) error {
		rec, err = c.record(key)
		if err == nil && rec.Revision == 0 {
			return &store.Error{Op: fmt.Sprintf("record %q", key), Kind: store.ErrNotFound}
		}
		return err
	})
	return rec, err
}

func (r records) Put(key string, value []byte, revision int64) (int64, error) {
	next := rand.Int64N(1<<62) + 1 // practically never drawn twice
	v := []any{key, row.Blob(append([]byte(nil), value...)), next, row.Micros(time.Now())}
	v = append(v, row.Sum(v...))
	err := r.s.write(r.ctx, "", func(t *tx) error {
		if err := t.c.checkRevision(key, revision); err != nil {
			return err
		}
		_, err := t.exec(upsertRecord, v...)
		return err
	})
	if err != nil {
		return 0, err
	}
	return next, nil
}

func (r records) Restore(rec store.Record) error {
	if rec.Revision <= 0 {
		return store.Errorf(store.ErrInvalid, "record %q: its revision is %d", rec.Key, rec.Revision)
	}
	v := []any{rec.Key, row.Blob(append([]byte(nil), rec.Value...)), rec.Revision, row.Micros(rec.Updated)}
	v = append(v, row.Sum(v...))
	return r.s.write(r.ctx, "", func(t *tx) error {
		if err := t.c.checkRevision(rec.Key, 0); err != nil {
			return err
		}
		_, err := t.exec(upsertRecord, v...)
		return err
	})
}

func (r records) Delete(key string, revision int64) error {
	return r.s.write(r.ctx, "", func(t *tx) error {
		rec, err := t.c.record(key)
		switch {
		case err != nil:
			return err
		case rec.Revision == 0:
			return &store.Error{Op: fmt.Sprintf("record %q", key), Kind: store.ErrNotFound}
		}
		if err := t.c.checkRevision(key, revision); err != nil {
			return err
		}
		_, err = t.exec("DELETE FROM records WHERE key = ?", key)
		return err
	})
}

func (r records) List(prefix, after string, limit int) (list []store.Record, err error) {
	err = r.s.read(r.ctx, func(c *conn) error {
		list = nil
		return c.Each(func(f *row.Fields) error {
			rec := f.Record()
			if !f.Bad && !strings.HasPrefix(rec.Key, prefix) {
				return errEnough
			}
			list = append(list, rec)
			return f.Err("record", rec.Key)
		}, "SELECT "+row.RecordColumns+" FROM records WHERE key >= ? AND key > ? AND key <> '"+scrubRecord+"' ORDER BY key LIMIT ?", prefix, after, int64(limit))
	})
	if err != nil && err != errEnough {
		return nil, err
	}
	return list, nil
}

// Now returns the time of this machine. Processes of other machines cannot open the
// database.
func (r records) Now() (time.Time, error) {
	select {
	case <-r.s.closed:
		return time.Time{}, store.ErrClosed
	default:
	}
	if r.ctx.Err() != nil {
		return time.Time{}, notStarted(r.ctx)
	}
	return time.Now().UTC().Truncate(time.Microsecond), nil
}

// record returns the zero Record if there is none.
func (c *conn) record(key string) (rec store.Record, err error) {
	_, err = c.One(func(f *row.Fields) error {
		rec = f.Record()
		f.Bad = f.Bad || rec.Key != key
		return f.Err("record", key)
	}, "SELECT "+row.RecordColumns+" FROM records WHERE key = ?", key)
	return rec, err
}

func (c *conn) checkRevision(key string, revision int64) error {
	rec, err := c.record(key)
	if err == nil && rec.Revision != revision {
		err = store.Errorf(store.ErrConflict, "record %q is not at the revision given", key)
	}
	return err
}
