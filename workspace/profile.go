package workspace

import (
	"cmp"
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// What names and describes an agent. They are described in package store.
type (
	Profile      = store.Profile
	AgentProfile = store.AgentProfile
)

// Profile returns the profile of an agent. found is false if it has none. Errors:
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

// UpdateProfile changes the profile of an agent to what change makes of it. found tells
// change whether there is one. change may run more than once, and an error of it is
// returned. Updated becomes the time of the update. Created does too at the first update,
// unless change sets an earlier time. Later updates keep Created, and keep Archived once it
// is set: writes then fail with [ErrReadOnly] and [ErrArchived]. [StoreLimits.Agents] limits
// the profiles of a tenant too. Errors: [ErrInvalid], [ErrQuota], and those of the store.
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

// Profiles returns the profiles of agents in byte order of name, from the first one after
// q.After, at most q.Limit of them. Of an [AgentsQuery], q has Patterns, After and Limit
// alone; After is the name of an agent. Errors: [ErrInvalid] and those of the store.
func (s *Service) Profiles(ctx context.Context, q AgentsQuery) (list []AgentProfile, err error) {
	if err = checkContext(ctx); err == nil && (q.After != "" && names.Agent(q.After) != "" || q.Limit < 0) {
		err = Errorf(ErrInvalid, "after is %q and limit is %d", q.After, q.Limit)
	}
	if err == nil {
		list, err = registry.Profiles(s.store.System(ctx), s.tenant, q.Patterns, q.After, cmp.Or(q.Limit, 50))
	}
	return list, within("list", "profiles", err)
}
