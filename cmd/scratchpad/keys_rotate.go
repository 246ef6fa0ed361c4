package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysRotate struct {
	ID      string     `arg:"" name:"id" help:"The id of the key: the 8 characters after sp_."`
	Overlap flags.Span `default:"24h" placeholder:"TIME"`
}

// Run gives the key a new secret.
func (c keysRotate) Run(p *process) error {
	if err := p.needReader(); err != nil {
		return err
	}
	return p.withKeys(p.openExisting, func(keys *auth.Keys) error {
		k, text, err := keys.Rotate(p.ctx, c.ID, c.Overlap.Duration)
		if err != nil {
			return err
		}
		r, err := p.printKey(k, text)
		if err != nil || p.line.JSON {
			return err
		}
		old := "The old secret has ended."
		if !r.Overlap.IsZero() {
			old = "The old secret works until " + phrase.Time(r.Overlap) + "."
		}
		return p.note("%s\nThe key is shown only now. %s\n", r, old)
	})
}
