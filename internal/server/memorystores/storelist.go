package memorystores

import (
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	profileChunk  = 50      // a profile has up to 40 kB
	maxStoreBytes = 1 << 20 // bytes of texts, after which a page ends
	maxProfiles   = 5000    // that are looked at for one page
)

// A storeWalk goes through the stores that a caller may see, in byte order of agent: those
// that have a profile, and those that hold anything.
type storeWalk struct {
	c            *call
	after        string // the last agent that was passed
	profiles     []workspace.AgentProfile
	moreProfiles bool // there are more profiles after these
	agents       []workspace.AgentInfo
	nextAgents   string // of AgentsQuery.After
	moreAgents   bool
	looked       int // profiles
}

func listStores(c *call) (any, error) {
	p := c.newPage(false)
	p.most = maxStoreBytes
	first, last, archived := c.time(from), c.time(until), c.flag("include_archived")
	after := c.position()
	if _, err := workspace.ParseAgentID(after); after != "" && err != nil {
		c.noPage()
	}
	if c.wrong != nil {
		return nil, c.wrong
	}
	w := &storeWalk{c: c, moreProfiles: true, moreAgents: true, after: after, nextAgents: after}
	for {
		agent, profile, err := w.next()
		if err != nil {
			return nil, err
		}
		if w.looked > maxProfiles && len(p.items) > 0 { // SDKs end at an empty page
			p.limit = len(p.items)
		}
		if agent == "" || p.ends(w.after) {
			return p.answer()
		}
		w.after = agent
		made := profile.Created
		if (archived || profile.Archived.IsZero()) && !made.Before(first) && (last.IsZero() || !made.After(last)) {
			p.add(newStore(agent, profile), textBytes(profile), nil)
		}
	}
}

// textBytes returns how many bytes the texts of a profile have.
func textBytes(p workspace.Profile) int64 {
	n := len(p.Name) + len(p.Description)
	for key, value := range p.Metadata {
		n += len(key) + len(value)
	}
	return int64(n)
}

// next returns the next store. "": there is none.
func (w *storeWalk) next() (agent string, p workspace.Profile, err error) {
	if err := w.load(); err != nil {
		return "", p, err
	}
	switch {
	case len(w.profiles) > 0 && (len(w.agents) == 0 || w.profiles[0].Agent <= w.agents[0].Agent):
		return w.profiles[0].Agent, w.profiles[0].Profile, nil
	case len(w.agents) > 0:
		held := w.agents[0]
		ws, err := w.c.svc.Agent(held.Agent)
		if err == nil {
			p, err = plain(w.c.ctx, ws, lastWrite(held))
		}
		return held.Agent, p, err
	}
	return "", p, nil
}

// query asks for agents that the caller may see, after one.
func (w *storeWalk) query(after string, limit int) workspace.AgentsQuery {
	return workspace.AgentsQuery{Patterns: w.c.caller.Agents.Patterns(), After: after, Limit: limit}
}

// load drops what was passed, and gets more of what has run out.
func (w *storeWalk) load() (err error) {
	for len(w.agents) > 0 && w.agents[0].Agent <= w.after {
		w.agents = w.agents[1:]
	}
	for len(w.agents) == 0 && w.moreAgents {
		page, err := w.c.svc.Agents(w.c.ctx, w.query(w.nextAgents, maxLimit))
		if err != nil {
			return err
		}
		w.agents, w.nextAgents, w.moreAgents = page.Agents, page.Next, page.Next != ""
	}
	for len(w.profiles) > 0 && w.profiles[0].Agent <= w.after {
		w.profiles = w.profiles[1:]
	}
	if len(w.profiles) == 0 && w.moreProfiles {
		w.profiles, err = w.c.svc.Profiles(w.c.ctx, w.query(w.after, profileChunk))
		w.moreProfiles = len(w.profiles) == profileChunk
		w.looked += len(w.profiles)
	}
	return err
}
