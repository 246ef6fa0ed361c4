package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An AgentsSearch is the result of a search over several agents.
type AgentsSearch struct {
	SearchResult
	Agents  int  // number of agents that were searched
	Left    bool // some agents were not searched
	Damaged int  // number of agents with texts that were left out because they are corrupt
}

// Search is [Workspace.Search] over several agents. patterns select the agents, as in
// [AgentsQuery]. Each hit names its agent. Search ranks the passages of all agents together:
// the weight of a word depends on how many passages of all these agents have the word. So the
// hits of one agent may be in another order than in a search of that agent alone.
//
// Search reads one agent after the other, those with the newest writes first. It begins with no
// further agent after 1,000 agents, two seconds, or 100,000,000 bytes of content. It uses as
// much memory as a search of one agent, and does not count as an operation. With Exact or
// Regexp, the lines are in the order of their agents, then of path and line. Errors:
// [ErrInvalid].
func (s *Service) Search(ctx context.Context, patterns []string, query string, o SearchOptions) (AgentsSearch, error) {
	var owners []store.OwnerUsage
	many := search.Many{View: s.store.View, Kind: o.Kind, History: s.history(&o)}
	r, err := s.search(ctx, s.o.Paths, query, &o, func() (_ search.Pages, err error) {
		q := store.OwnersQuery{Order: store.ByUpdated, Limit: search.MaxAgents + 1}
		owners, err = s.ownersLike(ctx, q, patterns)
		many.Owners, many.Prefix = owners[:min(len(owners), search.MaxAgents)], o.Prefix
		return many.Read, err
	})
	if err != nil {
		return AgentsSearch{}, err
	}
	return AgentsSearch{SearchResult: r, Agents: many.Searched, Left: many.Searched < len(owners),
		Damaged: many.Damaged()}, nil
}
