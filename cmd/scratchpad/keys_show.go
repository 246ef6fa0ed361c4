package main

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysShow struct {
	ID string `arg:"" name:"id" help:"The id of the key: the 8 characters after sp_."`
}

// Run shows the key.
func (c keysShow) Run(p *process) error {
	return p.withKeys(p.openToLook, func(keys *auth.Keys) error {
		if err := p.checkTenant(keys, c.ID); err != nil {
			return err
		}
		k, err := keys.Show(p.ctx, c.ID)
		if err != nil {
			return err
		}
		r := report.KeyOf(k, time.Now())
		return p.answer(r, p.table(r.Fields()))
	})
}
