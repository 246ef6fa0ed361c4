package sqlite

import (
	"context"
	"errors"
	"math"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// VerifyOptions of [Store.Verify]. The zero value works.
type VerifyOptions = dump.VerifyOptions

// VerifyReport is the result of [Store.Verify].
type VerifyReport = dump.VerifyReport

// Verify reads and checks everything that agents have stored: SQLite's own structure, the
// checksum of each row, the SHA-256 of each content, that versions and entries have no
// gaps, and that the counters agree with the rows. Verify changes nothing. Others may read and
// write meanwhile: each owner is checked in a snapshot of its own.
//
// Damage is in the report. Verify returns an error only if it could not go on.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (VerifyReport, error) {
	var report VerifyReport
	err := s.read(ctx, func(c *conn) (err error) {
		report, err = c.verifyAll(ctx, o, func() error {
			// A snapshot for each owner, so that the write-ahead log can shrink between them.
			// COMMIT fails without harm if SQLite has ended the transaction, as it does after damage to
			// the log.
			c.Exec("COMMIT")
			if _, err := c.Exec("BEGIN"); err != nil {
				return err
			}
			return c.fenceRead()
		})
		return err
	})
	if err = report.Damage(engine.Explain(err)); err != nil {
		return report, dbfile.Wrap(err, "verify")
	}
	return report, nil
}

// verifyAll checks the database's structure and then every owner. It calls begin before each.
func (c *conn) verifyAll(ctx context.Context, o VerifyOptions, begin func() error) (r VerifyReport, err error) {
	if err := c.structure(ctx, &r); err != nil {
		return r, err
	}
	if err := r.Damage(c.checkSchema()); err != nil {
		return r, err
	}
	if err := r.Damage(c.records(&r)); err != nil {
		return r, err
	}
	owners, err := c.ownerNames("", math.MaxInt)
	if err = r.Damage(err); err != nil {
		return r, err
	}
	total, err := c.Number("SELECT coalesce(sum(bytes), 0) FROM owners")
	if err = r.Damage(err); err != nil {
		return r, err
	}
	for _, owner := range owners {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		err := begin()
		if err == nil {
			err = r.Owner(owner, o, total, func(fn func(store.Row) error, damaged func(error) error) error {
				return dumper{reader: reader{c: c, owner: owner}, ctx: ctx, fn: fn, bad: damaged}.run()
			})
		}
		if r.Damage(err) != nil {
			return r, err
		}
	}
	return r, nil
}

// inStructure begins a problem that SQLite's own check of its pages has found.
const inStructure = "structure: "

// structure runs that check.
func (c *conn) structure(ctx context.Context, r *VerifyReport) error {
	err := c.Each(func(f *row.Fields) error {
		if said := f.Next(); said != "ok" {
			r.Problem(inStructure+"%v", said)
		}
		return ctx.Err()
	}, "PRAGMA quick_check(20)")
	if errors.Is(err, store.ErrCorrupt) {
		r.Problem(inStructure+"%v", err)
		err = nil
	}
	return err
}

// records checks the small records of the installation.
func (c *conn) records(r *VerifyReport) error {
	return c.Each(func(f *row.Fields) error {
		if _, err := readRecord(f); err != nil {
			r.Problem("%v", err)
		}
		return nil
	}, "SELECT "+row.RecordColumns+" FROM records")
}
