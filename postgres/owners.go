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

// Count implements [store.Store]. It goes through the owners in order, so that two
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
	query, args := listOwners(q)
	return wire.Statement{SQL: query, Args: args, Row: func(row *wire.Row) (err error) {
		owner := row.Text()
		u := store.OwnerUsage{Owner: store.Owner{Tenant: q.Tenant, Agent: strings.TrimPrefix(owner, q.Tenant+"/")}}
		if q.Which == store.UsedOwners {
			var state store.OwnerState
			state, err = readOwner(row, owner)
			u.Usage, u.Updated = state.Usage, state.Updated
		}
		*owners = append(*owners, u)
		return err
	}}
}

var ownedTables = []string{"owners", "files", "versions", "summaries", "logs", "entries", "requests", "changes"}

// allOwnersQuery looks once for each owner into the index of each table, whatever the
// owners have.
func allOwnersQuery(q store.OwnersQuery, owners *[]store.OwnerUsage) wire.Statement {
	after := ""
	if q.After != nil {
		after = q.After.Owner.String()
	}
	next := func(after string) string {
		where := " WHERE owner > " + after
		return "SELECT min(owner) FROM (SELECT min(owner) AS owner FROM " +
			strings.Join(ownedTables, where+" UNION ALL SELECT min(owner) FROM ") + where + ") next"
	}
	query := "WITH RECURSIVE names (owner) AS ((" + next("$1") + ") UNION ALL SELECT (" + next("names.owner") +
		") FROM names WHERE names.owner IS NOT NULL) SELECT owner FROM names WHERE owner IS NOT NULL LIMIT $2"
	return wire.Statement{SQL: query, Args: []any{after, int64(q.Limit)}, Row: func(row *wire.Row) error {
		name := row.Text()
		slash := strings.LastIndexByte(name, '/') // no agent's name has one
		if slash < 0 {
			return store.Errorf(store.ErrCorrupt, "the stored name %q of an owner has no tenant", name)
		}
		*owners = append(*owners, store.OwnerUsage{Owner: store.Owner{Tenant: name[:slash], Agent: name[slash+1:]}})
		return nil
	}}
}

// afterName sorts after every name that begins with a prefix. Names are of letters, digits,
// "-", "_" and "/".
func afterName(prefix string) string { return prefix + "\x7f" }

// listOwners returns the statement of a query for owners of a tenant that hold anything or
// are deleted, and its arguments.
func listOwners(q store.OwnersQuery) (string, []any) {
	tenant := q.Tenant + "/"
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	where := []string{"owner >= " + arg(tenant+q.Prefix), "owner < " + arg(afterName(tenant+q.Prefix)), "live"}
	if q.Which == store.DeletedOwners {
		where[2] = "NOT live AND requests = 0 AND deleted_files = 0 AND deleted_logs = 0 AND versions = 0 AND " +
			"changes = 0" +
			" AND (updated < " + arg(q.From) + " OR updated > " + arg(q.Until) + ")"
	}
	if q.Part != "" { // names are ASCII, and so is lower
		where = append(where, "strpos(lower(substr(owner, "+arg(int64(len(tenant)+1))+"::int)), "+arg(strings.ToLower(q.Part))+") > 0")
	}
	order := map[store.OwnersOrder]string{store.ByUpdated: "updated", store.ByBytes: "bytes"}[q.Order]
	by := "owner"
	if order != "" {
		by = order + " DESC, owner"
	}
	if q.After != nil {
		name := arg(tenant + q.After.Owner.Agent)
		switch q.Order {
		case store.ByUpdated:
			at := arg(q.After.Updated)
			where = append(where, "(updated < "+at+" OR updated = "+at+" AND owner > "+name+")")
		case store.ByBytes:
			at := arg(q.After.Usage.Bytes)
			where = append(where, "(bytes < "+at+" OR bytes = "+at+" AND owner > "+name+")")
		default:
			where = append(where, "owner > "+name)
		}
	}
	limit := arg(int64(q.Limit))
	return "SELECT owner, " + ownerColumns + " FROM owners WHERE " + strings.Join(where, " AND ") + " ORDER BY " + by +
		" LIMIT " + limit, args
}

func totalsQuery(tenant string, sum *store.Totals) wire.Statement {
	columns := "count(*)"
	for _, c := range []string{"files", "logs", "entries", "requests", "versions", "bytes"} {
		columns += ", least(coalesce(sum(" + c + "), 0), 9223372036854775807)::bigint"
	}
	return wire.Statement{
		SQL:  "SELECT " + columns + " FROM owners WHERE owner > $1 AND owner < $2 AND live",
		Args: []any{tenant + "/", afterName(tenant + "/")},
		Row: func(row *wire.Row) error {
			for _, n := range []*int64{&sum.Agents, &sum.Files, &sum.Logs, &sum.Entries, &sum.Requests, &sum.Versions,
				&sum.Bytes} {
				*n = row.Int()
			}
			return bad(row, "totals of", tenant)
		},
	}
}
