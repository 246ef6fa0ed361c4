package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// tenantsCommand has the commands about tenants.
type tenantsCommand struct {
	Ls  tenantsLs  `cmd:"" help:"List the tenants, what they use and their limits."`
	Set tenantsSet `cmd:"" help:"Change the limits of a tenant."`
}

// withTenants runs fn on the tenants of the database that open opens.
func (p *process) withTenants(open opener, fn func(*database.Handle, *auth.Keys) error) error {
	var db *database.Handle
	opened := func() (d *database.Handle, err error) {
		db, err = open()
		return db, err
	}
	return p.withKeys(opened, func(keys *auth.Keys) error { return fn(db, keys) })
}

type tenantsLs struct{}

// Run lists the tenants.
func (tenantsLs) Run(p *process) error {
	return p.withTenants(p.openToLook, func(db *database.Handle, keys *auth.Keys) error {
		records := []report.Tenant{}
		rows := [][]string{report.TenantHeader}
		for after := ""; ; {
			page, err := keys.Tenants().List(p.ctx, after, 0)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			for _, t := range page {
				r, err := report.TenantOf(p.ctx, db.Store(), keys, t)
				if err != nil {
					return err
				}
				records = append(records, r)
				rows = append(rows, r.Row())
			}
			after = page[len(page)-1].Name
		}
		return p.list(records, rows, "no tenants yet; scratchpad keys create --tenant NAME makes one")
	})
}

type tenantsSet struct {
	Tenant string       `arg:"" help:"The tenant."`
	Agents *flags.Bound `placeholder:"N"`
	Bytes  *flags.Bound `placeholder:"N"`
	Keys   *flags.Bound `placeholder:"N"`
}

// Run changes the limits.
func (c tenantsSet) Run(p *process) error {
	if c.Agents == nil && c.Bytes == nil && c.Keys == nil {
		return invalid("nothing is to be changed; give --agents, --bytes or --keys")
	}
	return p.withTenants(p.openDatabase, func(db *database.Handle, keys *auth.Keys) error {
		t, err := keys.Tenants().Set(p.ctx, c.Tenant, auth.TenantChange{Agents: (*int64)(c.Agents),
			Bytes: (*int64)(c.Bytes), Keys: (*int64)(c.Keys)})
		if err != nil {
			return err
		}
		r, err := report.TenantOf(p.ctx, db.Store(), keys, t)
		if err != nil {
			return err
		}
		return p.answer(r, p.table([][]string{report.TenantHeader, r.Row()}))
	})
}
