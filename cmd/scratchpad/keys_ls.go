package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/keyrecord"
)

type keysLs struct {
	Tenant string `placeholder:"NAME" help:"List only the keys of this tenant."`
}

// Help is shown by scratchpad keys ls --help.
func (keysLs) Help() string {
	return `A server writes down when a key was used, about a minute later. Keys that were revoked or have expired are listed too; the oldest of them are removed when new keys are made.

Examples:

  scratchpad keys ls
  scratchpad keys ls --tenant acme --json`
}

// Run lists the keys.
func (c keysLs) Run(p *process) error {
	return p.withKeys(p.openToLook, func(keys *auth.Keys) error {
		records := []keyrecord.Record{}
		rows := [][]string{keyrecord.Header}
		for o := (auth.ListOptions{Tenant: c.Tenant}); ; {
			page, err := keys.List(p.ctx, o)
			if err != nil {
				return err
			}
			for _, k := range page.Keys {
				r := keyrecord.Of(k, page.Now)
				records = append(records, r)
				rows = append(rows, r.Row())
			}
			if o.After = page.Next; o.After == "" {
				break
			}
		}
		return p.list(records, rows, "no keys; scratchpad keys create makes one")
	})
}
