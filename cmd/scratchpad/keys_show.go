package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysShow struct {
	ID string `arg:"" name:"id" help:"The id of the key: the 8 characters after sp_."`
}

// Run shows the key.
func (c keysShow) Run(p *process) error {
	return p.withKey(p.openToLook, func(keys *auth.Keys) (auth.Key, error) { return keys.Show(p.ctx, c.ID) })
}
