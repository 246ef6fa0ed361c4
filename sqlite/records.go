package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
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
	err = r.s.read(r.ctx, func(c *conn) error {
		rec, err = c.record(key)
		if err == nil && rec.Revision == 0 {
			return store.MissingRecord(key)
		}
		return err
	})
	return rec, err
}

func (r records) Put(key string, value []byte, revision int64) (int64, error) {
	next := newRevision()
	return next, r.put(store.Record{Key: key, Value: value, Revision: next, Updated: time.Now()}, revision)
}

func (r records) Restore(rec store.Record) error {
	if rec.Revision <= 0 {
		return store.Errorf(store.ErrInvalid, "record %q: its revision is %d", rec.Key, rec.Revision)
	}
	return r.put(rec, 0)
}

// put stores a record in place of one at a revision; 0: there is none.
func (r records) put(rec store.Record, revision int64) error {
	rec.Value = bytes.Clone(rec.Value) // the caller may leave before the writer
	return r.s.write(r.ctx, "", func(t *tx) error {
		if now, err := t.c.record(rec.Key); err != nil || now.Revision != revision {
			return cmp.Or(err, store.ChangedRecord(rec.Key))
		}
		return t.putRecord(rec)
	})
}

// newRevision returns a number that is practically never drawn twice.
func newRevision() int64 { return rand.Int64N(1<<62) + 1 }

func (t *tx) putRecord(rec store.Record) error {
	_, err := t.exec("INSERT OR REPLACE INTO records ("+row.RecordColumns+") VALUES (?, ?, ?, ?, ?)",
		row.Record(rec.Fields())...)
	return err
}

func (r records) Delete(key string, revision int64) error {
	return r.s.write(r.ctx, "", func(t *tx) error {
		switch rec, err := t.c.record(key); {
		case err != nil:
			return err
		case rec.Revision == 0:
			return store.MissingRecord(key)
		case rec.Revision != revision:
			return store.ChangedRecord(key)
		}
		_, err := t.exec("DELETE FROM records WHERE key = ?", key)
		return err
	})
}

func (r records) List(prefix, after string, limit int) (list []store.Record, err error) {
	err = r.s.read(r.ctx, func(c *conn) error {
		list = nil
		return c.Each(func(f *row.Fields) error {
			rec, err := readRecord(f)
			if err == nil && !strings.HasPrefix(rec.Key, prefix) {
				return errEnough
			}
			list = append(list, rec)
			return err
		}, "SELECT "+row.RecordColumns+" FROM records WHERE key >= ? AND key > ? AND key <> '"+scrubRecord+
			"' ORDER BY key LIMIT ?", prefix, after, int64(limit))
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
		return time.Time{}, store.NotStarted(r.ctx)
	}
	return time.Now().UTC().Truncate(time.Microsecond), nil
}

// record returns the zero Record if there is none.
func (c *conn) record(key string) (rec store.Record, err error) {
	_, err = c.One(func(f *row.Fields) (err error) {
		rec, err = readRecord(f)
		f.Bad = f.Bad || rec.Key != key
		return cmp.Or(err, f.Err("record "+key))
	}, "SELECT "+row.RecordColumns+" FROM records WHERE key = ?", key)
	return rec, err
}

func readRecord(f *row.Fields) (rec store.Record, err error) {
	f.Record(rec.Fields())
	return rec, f.Err("record " + rec.Key)
}
