package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysSet struct {
	ID      string          `arg:"" name:"id" help:"The id of the key: the 8 characters after sp_."`
	Agents  []string        `placeholder:"NAME" help:"The agents whose memory the key is for, as in keys create."`
	Scopes  []string        `placeholder:"NAME" help:"What the key may do: read, write, admin, metrics."`
	Expires *flags.Lifetime `placeholder:"TIME" help:"When the key ends, from now, such as 24h or 90d; or never."`
	Rate    *flags.Rate     `placeholder:"N[:BURST]" help:"Calls a second, and at once after a pause; or default."`
	Name    *string         `placeholder:"NAME" help:"A name by which you know the key again."`
}

// Run changes the key.
func (c keysSet) Run(p *process) error {
	change, err := c.change()
	if err != nil {
		return err
	}
	return p.withKey(p.openExisting, func(keys *auth.Keys) (auth.Key, error) {
		return keys.Set(p.ctx, c.ID, change)
	})
}

func (c keysSet) change() (to auth.Change, err error) {
	if len(c.Agents)+len(c.Scopes) == 0 && c.Expires == nil && c.Rate == nil && c.Name == nil {
		return to, invalid("nothing is to be changed; give --agents, --scopes, --expires, --rate or --name")
	}
	to.Name = c.Name
	if len(c.Agents) > 0 {
		agents, err := parseAgents(c.Agents)
		if err != nil {
			return to, err
		}
		to.Agents = &agents
	}
	if len(c.Scopes) > 0 {
		scopes, err := parseScopes(c.Scopes)
		if err != nil {
			return to, err
		}
		to.Scopes = &scopes
	}
	if c.Expires != nil {
		to.Lifetime = &c.Expires.Duration
	}
	if c.Rate != nil {
		to.Rate = &c.Rate.Rate
	}
	return to, nil
}
