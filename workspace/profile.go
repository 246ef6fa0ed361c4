package workspace

import (
	"cmp"
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The name and the description of an agent. The types are described in package store.
type (
	Profile      = store.Profile
	AgentProfile = store.AgentProfile
)

// Profile returns the profile of an agent. found is false if the agent has none. Errors:
// [ErrInvalid] and those of the store.
func (s *Service) Profile(ctx context.Context, agentID string) (p Profile, found bool, err error) {
	const op = "read profile"
	id, err := ParseAgentID(agentID)
	if err != nil {
		return Profile{}, false, err
	}
	if err = checkContext(ctx); err == nil {
		p, found, err = registry.Profile(s.store.System(ctx), s.owner(id))
	}
	return p, found, within(op, agentID, err)
}

// UpdateProfile calls change with the profile of an agent, and stores and returns the
// profile that change returns. If the agent has no profile, p is the zero Profile and found
// is false. change may run more than once. If change returns an error, nothing is stored,
// and the error of UpdateProfile wraps it.
//
// UpdateProfile sets Updated to the time of the update. The first update sets Created to
// the same time, unless change sets an earlier one. Later updates keep Created. Once Archived
// is set, it stays set. All writes to the agent but deletions and redactions then fail with
// [ErrReadOnly] and [ErrArchived]. A tenant may have [StoreLimits.Agents] profiles.
// Errors: [ErrInvalid], [ErrQuota], and those of the store.
func (s *Service) UpdateProfile(
	ctx context.Context, agentID string, change func(p Profile, found bool) (Profile, error),
) (p Profile, err error) {
	const op = "change profile"
	id, err := ParseAgentID(agentID)
	if err != nil {
		return Profile{}, err
	}
	if err = checkContext(ctx); err == nil {
		p, err = registry.UpdateProfile(s.store.System(ctx), s.owner(id), s.stamp(time.Time{}), s.total.limits.Agents,
			change)
		s.archive.Reread()
	}
	return p, within(op, agentID, err)
}

// Profiles returns the profiles of the agents that q.Patterns select, in byte order of
// name. It begins with the first agent after the name q.After, and returns at most q.Limit
// profiles; a Limit of 0 is 50, and there is no highest one. It ignores the other fields of
// q. Errors: [ErrInvalid] and those of the store.
func (s *Service) Profiles(ctx context.Context, q AgentsQuery) (list []AgentProfile, err error) {
	if err = checkContext(ctx); err == nil && (q.After != "" && names.Agent(q.After) != "" || q.Limit < 0) {
		err = Errorf(ErrInvalid, "after is %q and limit is %d", q.After, q.Limit)
	}
	if err == nil {
		list, err = registry.Profiles(s.store.System(ctx), s.o.Tenant, q.Patterns, q.After, cmp.Or(q.Limit, 50))
	}
	return list, within("list", "profiles", err)
}
