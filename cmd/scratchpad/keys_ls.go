package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysLs struct{}

// Run lists the keys.
func (keysLs) Run(p *process) error {
	only, given, err := p.tenantName()
	if err != nil {
		return err
	}
	if !given {
		only = "" // all
	}
	return p.withKeys(p.openToLook, func(keys *auth.Keys) error {
		records := []report.Key{}
		rows := [][]string{report.KeyHeader}
		for o := (auth.ListOptions{Tenant: only}); ; {
			page, err := keys.List(p.ctx, o)
			if err != nil {
				return err
			}
			for _, k := range page.Keys {
				r := report.KeyOf(k, page.Now)
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
