package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An AgentsQuery selects and orders agents of a tenant. The zero value selects none.
type AgentsQuery struct {
	// Patterns select the agents. A pattern is a name, the beginning of a name and *, or *
	// for all agents. There may be at most 100 patterns. Without a pattern, no agent is
	// selected.
	Patterns []string

	Part  string            // a part of the names, in upper or lower case, at most 128 bytes; "": any
	Order store.OwnersOrder // by name, by the last write or by bytes; ties are in byte order of name
	After string            // Next of the page before, with the same Order; "": the first page
	Limit int               // agents at most, 1-200; 0: 50
}

// An AgentPage is a page of agents that hold anything.
//
// The pages are of different moments. If an agent changes its place in the order between two
// pages, the agent may be on both pages, or on neither.
type AgentPage struct {
	Agents []AgentInfo
	Next   string // for AgentsQuery.After, in the characters [A-Za-z0-9_.-]; "": there are no more agents
}

// An AgentInfo is an agent in an [AgentPage].
type AgentInfo struct {
	Agent   string
	Usage   store.Usage // Bytes has no charge for rows; Operations may lack the reads of the last ten seconds
	Updated time.Time   // time of the last write; zero: not known
}

const (
	maxAgentPatterns = 100
	maxAgentsPage    = 200
	agentsPage       = 50
	maxNamePart      = 128 // characters, as many as a name has
)

// Agents returns a page of the agents that q selects and that hold anything. Errors:
// [ErrInvalid] and those of the store.
func (s *Service) Agents(ctx context.Context, q AgentsQuery) (page AgentPage, err error) {
	if err = checkContext(ctx); err == nil {
		page, err = s.agentPage(ctx, q)
	}
	return page, within("list", "agents", err)
}

func (s *Service) agentPage(ctx context.Context, q AgentsQuery) (page AgentPage, err error) {
	if err := setLimit(&q.Limit, maxAgentsPage, agentsPage); err != nil {
		return page, err
	}
	after, err := parseAgentsCursor(s.o.Tenant, q.Order, q.After)
	if err != nil {
		return page, err
	}
	found, err := s.ownersLike(ctx, store.OwnersQuery{Part: q.Part, Order: q.Order, After: after, Limit: q.Limit + 1},
		q.Patterns)
	if err != nil {
		return page, err
	}
	for i, o := range found {
		if i == q.Limit {
			page.Next = agentsCursor(q.Order, found[i-1])
			break
		}
		page.Agents = append(page.Agents, AgentInfo{Agent: o.Owner.Agent, Usage: o.Usage, Updated: o.Updated})
	}
	return page, nil
}

// ownersLike asks for the tenant's agents of each pattern, and merges the answers. It holds two pages
// at most, whatever the patterns are.
func (s *Service) ownersLike(ctx context.Context, q store.OwnersQuery, patterns []string) ([]store.OwnerUsage, error) {
	q.Tenant = s.o.Tenant
	compare, err := ownersOrderOf(q.Order)
	if err != nil {
		return nil, err
	}
	if len(q.Part) > maxNamePart {
		return nil, Errorf(ErrInvalid, "the part of a name has %d characters, names have %d at most", len(q.Part),
			maxNamePart)
	}
	if err := checkPatterns(patterns); err != nil {
		return nil, err
	}
	var merged []store.OwnerUsage
	seen := map[store.Owner]bool{}
	for _, p := range patterns {
		found, err := s.ownersOf(ctx, q, p, compare)
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			if !seen[o.Owner] { // in another pattern
				merged, seen[o.Owner] = append(merged, o), true
			}
		}
		slices.SortFunc(merged, compare)
		merged = merged[:min(len(merged), q.Limit)]
	}
	return merged, nil
}

// ownersOf returns the agents of one pattern.
func (s *Service) ownersOf(
	ctx context.Context, q store.OwnersQuery, p string, compare ownersOrder,
) ([]store.OwnerUsage, error) {
	if prefix, open := strings.CutSuffix(p, "*"); open {
		q.Prefix = prefix
		list, err := s.store.Owners(ctx, q)
		return list.Owners, err
	}
	// A name is the first of those that begin with it.
	list, err := s.store.Owners(ctx, store.OwnersQuery{Tenant: q.Tenant, Prefix: p, Limit: 1})
	found := list.Owners
	if err != nil || len(found) == 0 || found[0].Owner.Agent != p {
		return nil, err
	}
	if !strings.Contains(strings.ToLower(p), strings.ToLower(q.Part)) || q.After != nil &&
		compare(found[0], *q.After) <= 0 {
		return nil, nil
	}
	return found, nil
}

// checkPatterns refuses patterns that are none, or too many.
func checkPatterns(patterns []string) error {
	if len(patterns) > maxAgentPatterns {
		return Errorf(ErrInvalid, "%d patterns of agents, the most are %d", len(patterns), maxAgentPatterns)
	}
	for _, p := range patterns {
		if cause := names.Agent(strings.TrimSuffix(p, "*")); p != "*" && cause != "" {
			return Errorf(ErrInvalid, "the pattern %.40q of agents is not a name, the beginning of one and *, "+
				"or *: %s", p, cause)
		}
	}
	return nil
}

// An ownersOrder compares owners in a list.
type ownersOrder func(a, b store.OwnerUsage) int

func ownersOrderOf(o store.OwnersOrder) (ownersOrder, error) {
	byName := func(a, b store.OwnerUsage) int { return cmp.Compare(a.Owner.Agent, b.Owner.Agent) }
	switch o {
	case store.ByName:
		return byName, nil
	case store.ByUpdated:
		return func(a, b store.OwnerUsage) int { return cmp.Or(b.Updated.Compare(a.Updated), byName(a, b)) }, nil
	case store.ByBytes:
		return func(a, b store.OwnerUsage) int {
			return cmp.Or(cmp.Compare(b.Usage.Bytes, a.Usage.Bytes), byName(a, b))
		}, nil
	}
	return nil, Errorf(ErrInvalid, "there is no order %d of agents", int(o))
}

// agentsCursor returns the name of the last agent of a page, after what the order looks at: the
// microseconds of the last write, or the bytes. No name has a dot.
func agentsCursor(o store.OwnersOrder, last store.OwnerUsage) string {
	n := last.Usage.Bytes
	switch o {
	case store.ByName:
		return last.Owner.Agent
	case store.ByUpdated:
		n = last.Updated.UnixMicro()
	}
	return fmt.Sprintf("%d.%s", n, last.Owner.Agent)
}

// parseAgentsCursor returns the owner with which a page ended; nil: there was no page.
func parseAgentsCursor(tenant string, o store.OwnersOrder, text string) (u *store.OwnerUsage, err error) {
	if text == "" {
		return nil, nil
	}
	u = &store.OwnerUsage{Owner: store.Owner{Tenant: tenant, Agent: text}}
	year := 1
	if o != store.ByName {
		number, name, _ := strings.Cut(text, ".")
		u.Usage.Bytes, err = strconv.ParseInt(number, 10, 64)
		u.Owner.Agent, u.Updated = name, time.UnixMicro(u.Usage.Bytes).UTC()
		year = u.Updated.Year()
	}
	if err != nil || year < 1 || year > 9999 || names.Agent(u.Owner.Agent) != "" {
		return nil, Errorf(ErrInvalid, "%s is not the next of a page before, in the same order", store.ArgAfter)
	}
	return u, nil
}
