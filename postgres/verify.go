package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
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

func (r *VerifyReport) problem(format string, args ...any) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Verify reads and checks everything that agents have stored: the SHA-256 of each content,
// that versions, entries and changes have no gaps, and that the counters agree with the
// rows. It changes nothing. Others may read and write meanwhile: each owner is checked in a
// snapshot of its own. The pages of the database are checked by pg_amcheck and by
// PostgreSQL's data checksums, not by Verify.
//
// Damage is in the report. Verify returns an error only if it could not go on.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (r VerifyReport, err error) {
	var total int64
	if err := s.view(ctx, func(sn *snapshot) error {
		return sn.do(wire.Statement{SQL: "SELECT least(coalesce(sum(bytes), 0), 9223372036854775807)::bigint FROM " +
			"owners", Row: func(row *wire.Row) error {
			total = row.Int()
			return bad(row, "sum of", "bytes")
		}})
	}); err != nil {
		return r, err
	}
	if err := s.verifyLists(ctx, &r); err != nil {
		return r, err
	}
	const page = 1000
	var after store.Owner
	for q := (store.OwnersQuery{Which: store.AllOwners, Limit: page}); ; {
		list, err := s.Owners(ctx, q)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			r.problem("%v; from %s on, owners were not checked", err, after)
			return r, nil
		case err != nil:
			return r, err
		}
		for _, u := range list.Owners {
			q.After, after = &u, u.Owner
			if err := s.verifyOwner(ctx, after, o.Progress, total, &r); err != nil {
				return r, err
			}
		}
		if len(list.Owners) < page {
			return r, nil
		}
	}
}

// verifyLists finds owners that lists and totals leave out, or have though they hold nothing.
func (s *Store) verifyLists(ctx context.Context, r *VerifyReport) error {
	var wrong []string
	err := s.view(ctx, func(sn *snapshot) error {
		wrong = nil
		return sn.do(wire.Statement{
			SQL: "SELECT owner FROM owners WHERE live <> (files <> 0 OR logs <> 0 OR entries <> 0 OR bytes <> 0 OR " +
				"operations <> 0) ORDER BY owner LIMIT $1",
			Args: []any{int64(mostProblems)},
			Row: func(row *wire.Row) error {
				wrong = append(wrong, row.Text())
				return nil
			},
		})
	})
	for _, owner := range wrong {
		r.problem("%s: the mark that it holds anything is wrong", owner)
	}
	return err
}

func (s *Store) verifyOwner(ctx context.Context, o store.Owner, progress func(done, total int64), total int64,
	r *VerifyReport) error {
	var check dump.Checker
	err := s.Dump(ctx, o, func(row store.Row) error {
		before := check.Bytes()
		_ = check.Add(row) // it is in the report
		if done := r.Bytes + check.Bytes(); progress != nil && check.Bytes() > before {
			progress(done, max(total, done))
		}
		return nil
	})
	before := len(check.Problems())
	found, _ := check.End()
	if errors.Is(err, store.ErrCorrupt) {
		found.Problems = append(found.Problems[:before:before], err.Error()) // the end was not reached
		err = nil
	} else if err == nil && found.State.Usage == (store.Usage{}) {
		r.Deleted++
	}
	if err == nil {
		for _, text := range found.Problems {
			r.problem("%s: %s", o, text)
		}
	}
	r.Owners++
	r.Versions += found.Versions
	r.Entries += found.Entries
	r.Bytes += found.Bytes
	return err
}
