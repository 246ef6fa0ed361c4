package workspace

import (
	"cmp"
	"context"
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

// agentPage is FindAgents.
func (s *Service) agentPage(ctx context.Context, q AgentsQuery) (AgentPage, error) {
	if err := setLimit(&q.Limit, maxAgentsPage, agentsPage); err != nil {
		return AgentPage{}, err
	}
	after, err := parseAgentsCursor(s.tenant, q.Order, q.After)
	if err != nil {
		return AgentPage{}, err
	}
	found, err := s.ownersLike(ctx, store.OwnersQuery{Part: q.Part, Order: q.Order, After: after, Limit: q.Limit + 1},
		q.Patterns)
	if err != nil {
		return AgentPage{}, err
	}
	var page AgentPage
	for i, o := range found {
		if i == q.Limit {
			page.Next = agentsCursor(q.Order, found[i-1])
			break
		}
		page.Agents = append(page.Agents, AgentInfo{Agent: o.Owner.Agent, Usage: o.Usage, Updated: o.Updated})
	}
	return page, nil
}

// ownersLike asks for the tenant's agents of each pattern, and merges the answers. No agent is
// in two of them after simplifyPatterns. So it holds two pages at most, whatever the patterns
// are.
func (s *Service) ownersLike(ctx context.Context, q store.OwnersQuery, patterns []string) ([]store.OwnerUsage, error) {
	q.Tenant = s.tenant
	compare, err := ownersOrderOf(q.Order)
	if err != nil {
		return nil, err
	}
	if len(q.Part) > maxNamePart {
		return nil, Errorf(ErrInvalid, "the part of a name has %d characters, names have %d at most", len(q.Part),
			maxNamePart)
	}
	patterns, err = simplifyPatterns(patterns)
	if err != nil {
		return nil, err
	}
	var merged []store.OwnerUsage
	for _, p := range patterns {
		found, err := s.ownersOf(ctx, q, p, compare)
		if err != nil {
			return nil, err
		}
		merged = append(merged, found...)
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

// simplifyPatterns returns patterns that select the same agents, each agent once: none that another
// one covers. Errors: [ErrInvalid].
func simplifyPatterns(patterns []string) ([]string, error) {
	if len(patterns) > maxAgentPatterns {
		return nil, Errorf(ErrInvalid, "%d patterns of agents, the most are %d", len(patterns), maxAgentPatterns)
	}
	for _, p := range patterns {
		if cause := names.Agent(strings.TrimSuffix(p, "*")); p != "*" && cause != "" {
			return nil, Errorf(ErrInvalid, "the pattern %.40q of agents is not a name, the beginning of one and *, "+
				"or *: %s", p, cause)
		}
	}
	var simple []string
	for i, p := range patterns {
		covered := slices.Contains(patterns[:i], p)
		for _, other := range patterns {
			prefix, open := strings.CutSuffix(other, "*")
			covered = covered || open && other != p && strings.HasPrefix(p, prefix)
		}
		if !covered {
			simple = append(simple, p)
		}
	}
	return simple, nil
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

// A agentsCursor is the name of the last agent of a page, after what the order looks at: the
// microseconds of the last write, or the bytes. No name has a dot.

func agentsCursor(o store.OwnersOrder, last store.OwnerUsage) string {
	switch o {
	case store.ByUpdated:
		return strconv.FormatInt(last.Updated.UnixMicro(), 10) + "." + last.Owner.Agent
	case store.ByBytes:
		return strconv.FormatInt(last.Usage.Bytes, 10) + "." + last.Owner.Agent
	}
	return last.Owner.Agent
}

// parseAgentsCursor returns the owner with which a page ended; nil: there was no page.
func parseAgentsCursor(tenant string, o store.OwnersOrder, text string) (*store.OwnerUsage, error) {
	if text == "" {
		return nil, nil
	}
	u := store.OwnerUsage{Owner: store.Owner{Tenant: tenant, Agent: text}}
	if o == store.ByUpdated || o == store.ByBytes {
		number, name, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, errAgentsCursor()
		}
		u.Owner.Agent, u.Usage.Bytes = name, n
		if o == store.ByUpdated {
			u.Usage.Bytes, u.Updated = 0, time.UnixMicro(n).UTC()
		}
		if year := u.Updated.Year(); year < 1 || year > 9999 {
			return nil, errAgentsCursor()
		}
	}
	if names.Agent(u.Owner.Agent) != "" {
		return nil, errAgentsCursor()
	}
	return &u, nil
}

func errAgentsCursor() error {
	return Errorf(ErrInvalid, "%s is not the next of a page before, in the same order", store.ArgAfter)
}
