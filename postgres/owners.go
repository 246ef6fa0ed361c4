package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Count implements [store.Store]. Count goes through the owners in order, so that two
// Counts do not wait for each other.
func (s *Store) Count(ctx context.Context, reads map[store.Owner]int64) error {
	counted := map[string]int64{}
	for o, n := range reads {
		counted[o.String()] = n
	}
	names := slices.Sorted(maps.Keys(counted))
	return s.write(ctx, "", func(t *tx) error {
		if err := t.do(); err != nil {
			return err
		}
		for _, name := range names {
			if err := t.hold(wire.Statement{
				SQL:  "UPDATE owners SET operations = operations + $2 WHERE owner = $1 AND live",
				Args: []any{name, counted[name]},
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Owners implements [store.Store].
func (s *Store) Owners(ctx context.Context, q store.OwnersQuery) (l store.OwnerList, err error) {
	err = s.view(ctx, func(sn *snapshot) error {
		l = store.OwnerList{}
		switch q.Which {
		case store.OwnerTotals:
			return sn.do(totalsQuery(q.Tenant, &l.Totals))
		case store.AllOwners:
			return sn.do(allOwnersQuery(q, &l.Owners))
		}
		return sn.do(ownersQuery(q, &l.Owners))
	})
	return l, err
}

func ownersQuery(q store.OwnersQuery, owners *[]store.OwnerUsage) wire.Statement {
	var args []any
	end := q.SQL("live", func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	})
	columns := "owner"
	if q.Which == store.UsedOwners {
		columns += ", " + store.OwnerTable.Columns
	}
	return ownerList(owners, "SELECT "+columns+" FROM owners"+end, args)
}

// ownerList reads owners, each with his state if the query has it.
func ownerList(owners *[]store.OwnerUsage, query string, args []any) wire.Statement {
	return wire.Statement{SQL: query, Args: args, Row: func(row *wire.Fields) error {
		name, s := "", store.OwnerState{}
		err := row.Scan(&name)
		if err == nil && row.Len() > 0 {
			_, err = readRow(row, name, store.Row{State: &s})
		}
		if err != nil {
			return err
		}
		of, err := store.ParseOwner(name)
		*owners = append(*owners, store.OwnerUsage{Owner: of, Usage: s.Usage, Updated: s.Updated})
		return err
	}}
}

// allOwnersQuery looks once for each owner into the index of each table, whatever the
// owners have.
func allOwnersQuery(q store.OwnersQuery, owners *[]store.OwnerUsage) wire.Statement {
	after := ""
	if q.After != nil {
		after = q.After.Owner.String()
	}
	next := func(after string) string {
		var tables []string
		for _, t := range slices.Concat(store.Tables...) {
			tables = append(tables, "SELECT min(owner) AS owner FROM "+t.Name+" WHERE owner > "+after)
		}
		return "SELECT min(owner) FROM (" + strings.Join(tables, " UNION ALL ") + ") next"
	}
	query := "WITH RECURSIVE names (owner) AS ((" + next("$1") + ") UNION ALL SELECT (" + next("names.owner") +
		") FROM names WHERE names.owner IS NOT NULL) SELECT owner FROM names WHERE owner IS NOT NULL LIMIT $2"
	return ownerList(owners, query, []any{after, int64(q.Limit)})
}

func totalsQuery(tenant string, sum *store.Totals) wire.Statement {
	columns := "count(*)"
	for _, c := range []string{"files", "logs", "entries", "requests", "versions", "bytes"} {
		columns += ", least(coalesce(sum(" + c + "), 0), 9223372036854775807)::bigint"
	}
	return wire.Statement{
		SQL:  "SELECT " + columns + " FROM owners WHERE owner > $1 AND owner < $2 AND live",
		Args: []any{tenant + "/", store.AfterName(tenant + "/")},
		Row:  wire.Into(&sum.Agents, &sum.Files, &sum.Logs, &sum.Entries, &sum.Requests, &sum.Versions, &sum.Bytes),
	}
}
