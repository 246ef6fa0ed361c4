package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysCreate struct {
	Agents  []string       `placeholder:"NAME"`
	Scopes  []string       `default:"read,write" placeholder:"NAME"`
	Expires flags.Lifetime `default:"90d" placeholder:"TIME"`
	Rate    flags.Rate     `default:"default" placeholder:"N[:BURST]"`
	Name    string         `placeholder:"NAME" help:"A name by which you know the key again."`
}

// Run makes the key.
func (c keysCreate) Run(p *process) error {
	tenant, _, err := p.tenantName()
	if err != nil {
		return err
	}
	g := auth.Grant{Tenant: tenant, Name: c.Name, Lifetime: c.Expires.Duration, Rate: c.Rate.Rate}
	if g.Scopes, err = parseScopes(c.Scopes); err != nil {
		return err
	}
	if len(c.Agents) > 0 {
		if g.Agents, err = parseAgents(c.Agents); err != nil {
			return err
		}
	} else if g.Scopes&(auth.Read|auth.Write) != 0 {
		return invalid("create a key: whose memory is it for? Give --agents with names, a beginning such as " +
			"'team-a-*', or '*' for all")
	}
	if err := p.needReader(); err != nil {
		return err
	}
	return p.withKeys(p.openDatabase, func(keys *auth.Keys) error {
		k, text, err := keys.Create(p.ctx, g)
		if err != nil {
			return err
		}
		r, err := p.printKey(k, text)
		if err != nil || p.line.JSON {
			return err
		}
		return p.sayCreated(r)
	})
}

// sayCreated says what the key may do, and what to do with it.
func (p *process) sayCreated(r report.Key) error {
	p.note("%s\nThe key is shown only now. Keep it secret; a client passes it as Authorization: Bearer KEY.\n", r)
	if len(r.Agents) == 0 {
		return nil
	}
	return p.note("Next: set SCRATCHPAD_API_KEY to the key where your client starts, and run\n  scratchpad " +
		"client-config claude-code --url http://127.0.0.1:4321/mcp\nwith the address of your server.\n")
}
