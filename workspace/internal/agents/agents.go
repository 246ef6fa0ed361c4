// Package agents finds agents of a tenant among those that somebody may see.
package agents

import (
	"context"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxPatterns  = 100
	maxLimit     = 200
	defaultLimit = 50
	maxPart      = 128 // characters, as many as a name has
)

// An Owners lists owners, as [store.Store] does.
type Owners func(context.Context, store.OwnersQuery) ([]store.OwnerUsage, error)

// Page returns a page of agents. Errors: [store.ErrInvalid], and those of owners.
func Page(ctx context.Context, owners Owners, tenant string, q inspect.AgentsQuery) (inspect.AgentPage, error) {
	switch {
	case q.Limit < 0 || q.Limit > maxLimit:
		return inspect.AgentPage{}, store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, q.Limit, maxLimit)
	case q.Limit == 0:
		q.Limit = defaultLimit
	}
	after, err := parseCursor(tenant, q.Order, q.After)
	if err != nil {
		return inspect.AgentPage{}, err
	}
	found, err := find(ctx, owners, store.OwnersQuery{Tenant: tenant, Part: q.Part, Order: q.Order, After: after, Limit: q.Limit + 1}, q.Patterns)
	if err != nil {
		return inspect.AgentPage{}, err
	}
	var page inspect.AgentPage
	for i, o := range found {
		if i == q.Limit {
			page.Next = cursor(q.Order, found[i-1])
			break
		}
		page.Agents = append(page.Agents, inspect.AgentInfo{Agent: o.Owner.Agent, Usage: o.Usage, Updated: o.Updated})
	}
	return page, nil
}

// Newest returns the agents that were written last, at most limit of them.
func Newest(ctx context.Context, owners Owners, tenant string, patterns []string, limit int) ([]store.OwnerUsage, error) {
	return find(ctx, owners, store.OwnersQuery{Tenant: tenant, Order: store.ByUpdated, Limit: limit}, patterns)
}

// find asks for the agents of each pattern, and merges the answers. After simplify, no agent
// is in two of them. So it holds two pages at most, whatever the patterns are.
func find(ctx context.Context, owners Owners, q store.OwnersQuery, patterns []string) ([]store.OwnerUsage, error) {
	compare, err := orderOf(q.Order)
	if err != nil {
		return nil, err
	}
	if len(q.Part) > maxPart {
		return nil, store.Errorf(store.ErrInvalid, "the part of a name has %d characters, names have %d at most", len(q.Part), maxPart)
	}
	patterns, err = simplify(patterns)
	if err != nil {
		return nil, err
	}
	var merged []store.OwnerUsage
	for _, p := range patterns {
		found, err := matching(ctx, owners, q, p, compare)
		if err != nil {
			return nil, err
		}
		merged = merge(merged, found, q.Limit, compare)
	}
	return merged, nil
}

// matching returns the agents of one pattern.
func matching(ctx context.Context, owners Owners, q store.OwnersQuery, p string, compare order) ([]store.OwnerUsage, error) {
	if prefix, open := strings.CutSuffix(p, "*"); open {
		q.Prefix = prefix
		return owners(ctx, q)
	}
	// A name is the first of those that begin with it.
	found, err := owners(ctx, store.OwnersQuery{Tenant: q.Tenant, Prefix: p, Limit: 1})
	if err != nil || len(found) == 0 || found[0].Owner.Agent != p {
		return nil, err
	}
	if !strings.Contains(strings.ToLower(p), strings.ToLower(q.Part)) || q.After != nil && compare(found[0], *q.After) <= 0 {
		return nil, nil
	}
	return found, nil
}
