package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Count implements [workspace.Store]. It goes through the owners in order, so that two
// Counts do not wait for each other.
func (s *Store) Count(ctx context.Context, reads map[workspace.Owner]int64) error {
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

// Owners implements [workspace.Store].
func (s *Store) Owners(ctx context.Context, q workspace.OwnersQuery) (owners []workspace.OwnerUsage, err error) {
	tenant := q.Tenant + "/"
	query, args := listOwners(q)
	err = s.view(ctx, func(sn *snapshot) error {
		owners = nil
		return sn.do(wire.Statement{SQL: query, Args: args, Row: func(row *wire.Row) error {
			owner := row.Text()
			state, err := readOwner(row, owner)
			owners = append(owners, workspace.OwnerUsage{
				Owner: workspace.Owner{Tenant: q.Tenant, Agent: strings.TrimPrefix(owner, tenant)}, Usage: state.Usage, Updated: state.Updated,
			})
			return err
		}})
	})
	return owners, err
}

// afterName sorts after every name that begins with a prefix. Names are of letters, digits,
// "-", "_" and "/".
func afterName(prefix string) string { return prefix + "\x7f" }

// listOwners returns the statement of a query for owners, and its arguments.
func listOwners(q workspace.OwnersQuery) (string, []any) {
	tenant := q.Tenant + "/"
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	where := []string{"owner >= " + arg(tenant+q.Prefix), "owner < " + arg(afterName(tenant+q.Prefix)), "live"}
	if q.Part != "" { // names are ASCII, and so is lower
		where = append(where, "strpos(lower(substr(owner, "+arg(int64(len(tenant)+1))+"::int)), "+arg(strings.ToLower(q.Part))+") > 0")
	}
	order := map[workspace.OwnersOrder]string{workspace.ByUpdated: "updated", workspace.ByBytes: "bytes"}[q.Order]
	by := "owner"
	if order != "" {
		by = order + " DESC, owner"
	}
	if q.After != nil {
		name := arg(tenant + q.After.Owner.Agent)
		switch q.Order {
		case workspace.ByUpdated:
			at := arg(q.After.Updated)
			where = append(where, "(updated < "+at+" OR updated = "+at+" AND owner > "+name+")")
		case workspace.ByBytes:
			at := arg(q.After.Usage.Bytes)
			where = append(where, "(bytes < "+at+" OR bytes = "+at+" AND owner > "+name+")")
		default:
			where = append(where, "owner > "+name)
		}
	}
	limit := arg(int64(q.Limit))
	return "SELECT owner, " + ownerColumns + " FROM owners WHERE " + strings.Join(where, " AND ") + " ORDER BY " + by + " LIMIT " + limit, args
}

// Deleted implements [workspace.Store].
func (s *Store) Deleted(ctx context.Context, tenant string, from, to time.Time, limit int) (owners []workspace.Owner, err error) {
	prefix := tenant + "/"
	err = s.view(ctx, func(sn *snapshot) error {
		owners = nil
		return sn.do(wire.Statement{
			SQL: "SELECT owner FROM owners WHERE owner > $1 AND owner < $2 AND NOT live" +
				" AND requests = 0 AND deleted_files = 0 AND deleted_logs = 0 AND versions = 0 AND changes = 0" +
				" AND (updated < $3 OR updated > $4) ORDER BY owner LIMIT $5",
			Args: []any{prefix, afterName(prefix), from, to, int64(limit)},
			Row: func(row *wire.Row) error {
				owners = append(owners, workspace.Owner{Tenant: tenant, Agent: strings.TrimPrefix(row.Text(), prefix)})
				return nil
			},
		})
	})
	return owners, err
}

// Totals implements [workspace.Store].
func (s *Store) Totals(ctx context.Context, tenant string) (sum workspace.Totals, err error) {
	prefix := tenant + "/"
	counts := []*int64{&sum.Agents, &sum.Files, &sum.Logs, &sum.Entries, &sum.Requests, &sum.Versions, &sum.Bytes}
	columns := "count(*)"
	for _, c := range []string{"files", "logs", "entries", "requests", "versions", "bytes"} {
		columns += ", least(coalesce(sum(" + c + "), 0), 9223372036854775807)::bigint"
	}
	err = s.view(ctx, func(sn *snapshot) error {
		return sn.do(wire.Statement{
			SQL:  "SELECT " + columns + " FROM owners WHERE owner > $1 AND owner < $2 AND live",
			Args: []any{prefix, afterName(prefix)},
			Row: func(row *wire.Row) error {
				for _, n := range counts {
					*n = row.Int()
				}
				return bad(row, "totals of", tenant)
			},
		})
	})
	return sum, err
}
