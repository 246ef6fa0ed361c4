package postgres

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// VerifyOptions of [Store.Verify]. The zero value works.
type VerifyOptions = dump.VerifyOptions

// VerifyReport is the result of [Store.Verify].
type VerifyReport = dump.VerifyReport

// Verify reads and checks everything that agents have stored: the SHA-256 of each content,
// that versions, entries and changes have no gaps, and that the counters agree with the
// rows. Verify changes nothing. Others may read and write meanwhile: each owner is checked in a
// snapshot of its own. The pages of the database are checked by pg_amcheck and by
// PostgreSQL's data checksums, not by Verify.
//
// Damage is in the report. Verify returns an error only if it could not go on.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (r VerifyReport, err error) {
	var total int64
	if err := s.view(ctx, func(sn *snapshot) error {
		return sn.do(wire.Statement{SQL: "SELECT least(coalesce(sum(bytes), 0), 9223372036854775807)::bigint FROM " +
			"owners", Row: wire.Into(&total)})
	}); err != nil {
		return r, err
	}
	if err := s.verifyLists(ctx, &r); err != nil {
		return r, err
	}
	var last store.Owner
	for owner, err := range store.EveryOwner(ctx, s) {
		switch {
		case errors.Is(err, store.ErrCorrupt):
			r.Problem("%v; from %s on, owners were not checked", err, last)
			return r, nil
		case err != nil:
			return r, err
		}
		last = owner
		if err := r.Owner(owner.String(), o, total, func(fn func(store.Row) error, _ func(error) error) error {
			return s.Dump(ctx, owner, fn)
		}); err != nil {
			return r, err
		}
	}
	return r, nil
}

// verifyLists finds owners that lists and totals leave out, or have though they hold nothing.
func (s *Store) verifyLists(ctx context.Context, r *VerifyReport) error {
	var wrong []string
	err := s.view(ctx, func(sn *snapshot) error {
		wrong = nil
		return sn.do(wire.Statement{
			SQL: "SELECT owner FROM owners WHERE live <> (files <> 0 OR logs <> 0 OR entries <> 0 OR bytes <> 0 OR " +
				"operations <> 0) ORDER BY owner LIMIT $1",
			Args: []any{int64(100)},
			Row: func(row *wire.Fields) error {
				wrong = append(wrong, "")
				return row.Scan(&wrong[len(wrong)-1])
			},
		})
	})
	for _, owner := range wrong {
		r.Problem("%s: the mark that it holds anything is wrong", owner)
	}
	return err
}
