package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An AgentsSearch is what a search over several agents found.
type AgentsSearch struct {
	SearchResult
	Agents  int  // that were searched
	Left    bool // there are more agents, which were not searched
	Damaged int  // agents that are left out, because what they have is corrupt
}

// Search is [Workspace.Search] over the agents of patterns, as in [AgentsQuery], with the
// agent in each hit. All that is searched is one collection: how much a word counts depends
// on how many passages of all these agents have it. So the hits are in order as those of
// one agent, and an agent's hits may be in another order than its own search has.
//
// The agents that were written last are searched first, one after the other, at most 1,000.
// After two seconds, or 100,000,000 bytes of content, no further agent is searched. The search
// uses as much memory as that of one agent, and is not counted as an operation. Exact and
// regular expressions list lines in the order of agent, path and line. Errors: [ErrInvalid].
func (s *Service) Search(ctx context.Context, patterns []string, query string, o SearchOptions) (AgentsSearch, error) {
	var owners []store.OwnerUsage
	many := search.Many{View: s.store.View, Kind: o.Kind}
	r, err := searchBy(ctx, s, s.paths, query, &o,
		func(run search.Run[search.ManyPlace]) (r search.Result, err error) {
			q := store.OwnersQuery{Order: ByUpdated, Limit: search.MaxAgents + 1}
			if owners, err = s.ownersLike(ctx, q, patterns); err != nil {
				return r, err
			}
			many.Owners, many.Prefix = owners[:min(len(owners), search.MaxAgents)], o.Prefix
			return many.Run(ctx, run)
		})
	if err != nil {
		return AgentsSearch{}, err
	}
	return AgentsSearch{SearchResult: r, Agents: many.Searched, Left: many.Searched < len(owners),
		Damaged: len(many.Damaged)}, nil
}
