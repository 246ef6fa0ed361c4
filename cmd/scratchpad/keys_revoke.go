package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/keyrecord"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysRevoke struct {
	IDs []string `arg:"" name:"id" help:"The ids of the keys: the 8 characters after sp_."`
}

// Help is shown by scratchpad keys revoke --help.
func (keysRevoke) Help() string {
	return `The command does not ask, because a key that somebody else has must end at once. No server takes
the key a second later. To give a key a new secret, run scratchpad keys rotate.

Examples:

  scratchpad keys revoke 7kQ2mVx0`
}

// Run ends the keys.
func (c keysRevoke) Run(p *process) error {
	return p.withKeys(p.openExisting, func(keys *auth.Keys) error {
		records := []keyrecord.Record{}
		var errs []error
		for _, id := range c.IDs { // a mistake in one id does not keep the others alive
			err := p.checkTenant(keys, id)
			var k auth.Key
			if err == nil {
				k, err = keys.Revoke(p.ctx, id)
			}
			if err != nil {
				errs = append(errs, failure.OfKeys(err))
				continue
			}
			records = append(records, keyrecord.Of(k, time.Now()))
		}
		if len(records) > 0 {
			errs = append(errs, p.answer(records, func(out io.Writer) error {
				for _, r := range records {
					fmt.Fprintf(out, "%s: revoked\n", r.ID)
				}
				return nil
			}))
		}
		return errors.Join(errs...)
	})
}
