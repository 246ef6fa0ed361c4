package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// VerifyOptions of [Store.Verify]. The zero value works.
type VerifyOptions struct {
	// Progress is called now and then with the bytes of content checked and all bytes. nil: not
	// called.
	Progress func(done, total int64)
}

// VerifyReport is the result of [Store.Verify].
type VerifyReport struct {
	Owners, Versions, Entries, Bytes int64 // how many were checked
	// Deleted is how many of the owners hold nothing any more. Store.Owners does not list them.
	Deleted  int64
	Problems []string // at most 100; each names its object. nil: none was found
}

const mostProblems = 100

// Verify reads and checks everything that agents have stored: SQLite's own structure, the
// checksum of each row, the SHA-256 of each content, that versions and entries have no
// gaps, and that the counters agree with the rows. It changes nothing. Others may read and
// write meanwhile: each owner is checked in a snapshot of its own.
//
// Damage is in the report. Verify returns an error only if it could not go on.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (VerifyReport, error) {
	var report VerifyReport
	err := s.read(ctx, func(c *conn) (err error) {
		report, err = c.verifyAll(ctx, o, func(owner string, fn func(*conn) error) error {
			// A snapshot for each owner, so that the write-ahead log can shrink between them.
			// COMMIT fails without harm if SQLite has ended the transaction, as it does after damage to
			// the log.
			c.Exec("COMMIT")
			if _, err := c.Exec("BEGIN"); err != nil {
				return err
			}
			if err := c.fenceRead(); err != nil {
				return err
			}
			return fn(c)
		})
		return err
	})
	if err = report.damage(engine.Explain(err)); err != nil {
		return report, dbfile.Wrap(err, "verify")
	}
	return report, nil
}

func (r *VerifyReport) problem(format string, args ...any) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// verifyAll checks the database's structure and then every owner, each in a snapshot.
func (c *conn) verifyAll(ctx context.Context, o VerifyOptions,
	snapshot func(owner string, fn func(*conn) error) error) (VerifyReport, error) {
	var r VerifyReport
	if err := r.damage(c.structure(ctx, &r)); err != nil {
		return r, err
	}
	if err := r.damage(c.checkSchema()); err != nil {
		return r, err
	}
	if err := r.damage(c.records(&r)); err != nil {
		return r, err
	}
	owners, err := c.ownerNames("", math.MaxInt)
	if err = r.damage(err); err != nil {
		return r, err
	}
	total, err := c.Number("SELECT coalesce(sum(bytes), 0) FROM owners")
	if err = r.damage(err); err != nil {
		return r, err
	}
	for _, owner := range owners {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		err := snapshot(owner, func(c *conn) error { return c.verifyOwner(ctx, owner, o.Progress, total, &r) })
		if errors.Is(err, store.ErrCorrupt) {
			r.problem("%s: %v", owner, err)
		} else if err != nil {
			return r, err
		}
	}
	return r, nil
}

// structure runs SQLite's own check of its pages.
func (c *conn) structure(ctx context.Context, r *VerifyReport) error {
	return c.Each(func(f *row.Fields) error {
		if said := f.Next(); said != "ok" {
			r.problem("structure: %v", said)
		}
		return ctx.Err()
	}, "PRAGMA quick_check(20)")
}

// damage adds an error about damage to the problems and returns nil. It returns other
// errors.
func (r *VerifyReport) damage(err error) error {
	if errors.Is(err, store.ErrCorrupt) {
		r.problem("%v", err)
		return nil
	}
	return err
}

// verifyOwner checks all rows of an owner. It goes on after a damaged one.
func (c *conn) verifyOwner(ctx context.Context, owner string, progress func(done, total int64), total int64,
	r *VerifyReport) error {
	var check dump.Checker
	damaged := false
	d := dumper{reader: reader{c: c, owner: owner}, ctx: ctx}
	d.bad = func(err error) error {
		damaged = true
		r.problem("%s: %v", owner, err)
		return nil
	}
	d.fn = func(row store.Row) error {
		before := check.Bytes()
		_ = check.Add(row) // it is in the report
		if done := r.Bytes + check.Bytes(); progress != nil && check.Bytes() > before {
			progress(done, max(total, done))
		}
		return nil
	}
	err := d.run()
	found, _ := check.End()
	for _, text := range found.Problems {
		r.problem("%s: %s", owner, text)
	}
	if found.State.Usage == (store.Usage{}) && !damaged && err == nil {
		r.Deleted++
	}
	r.Owners++
	r.Versions += found.Versions
	r.Entries += found.Entries
	r.Bytes += found.Bytes
	return err
}

// records checks the small records of the installation.
func (c *conn) records(r *VerifyReport) error {
	return c.Each(func(f *row.Fields) error {
		rec := f.Record()
		if err := f.Err("record", rec.Key); err != nil {
			r.problem("%v", err)
		}
		return nil
	}, "SELECT "+row.RecordColumns+" FROM records")
}
