package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

type keysRevoke struct {
	IDs []string `arg:"" name:"id" help:"The ids of the keys: the 8 characters after sp_."`
}

// Run ends the keys.
func (c keysRevoke) Run(p *process) error {
	return p.withKeys(p.openExisting, func(keys *auth.Keys) error {
		records := []report.Key{}
		var errs []error
		for _, id := range c.IDs { // a mistake in one id does not keep the others alive
			k, err := keys.Revoke(p.ctx, id)
			if err != nil {
				errs = append(errs, failure.OfKeys(err))
				continue
			}
			records = append(records, report.KeyOf(k, time.Now()))
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
