package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsTail struct {
	Log     string `arg:"" help:"The log."`
	Entries number `short:"n" default:"10" placeholder:"N" help:"The newest N: ${default}."`
	Follow  bool   `short:"f" help:"Then print entries as they are appended, by whatever process, until Ctrl-C, SIGTERM or the end of who reads them. The log need not be there yet, and may be deleted and made again."`
}

// Help is shown by scratchpad logs tail --help.
func (logsTail) Help() string {
	return `Examples:

  scratchpad logs tail decisions
  scratchpad logs tail decisions -n 3 --json
  scratchpad logs tail decisions -f`
}

// pollInterval is how often tail -f looks, which takes one small read.
const pollInterval = 200 * time.Millisecond

// Run prints the newest entries, and follows.
func (c logsTail) Run(p *process) error {
	return p.use(p.openToLook, func(db *database) error {
		ws, err := db.workspace()
		if err != nil {
			return err
		}
		out := p.newEntryWriter()
		last, err := newest(p, ws, c.Log)
		if c.Follow && errors.Is(err, workspace.ErrNotFound) {
			fmt.Fprintf(p.err, "%s has no entry yet; waiting for one\n", c.Log)
			err = nil
		} else if err == nil {
			last, err = out.copy(p, ws, c.Log, max(0, last-int64(c.Entries)))
		}
		if err == nil && c.Follow {
			err = c.follow(p, db, ws, out, last)
		}
		if c.Follow && p.ctx.Err() != nil {
			return nil
		}
		return p.sayAgent(err)
	})
}

// follow prints what comes after an entry, until nobody reads it. Entries of a
// log that is deleted and made again have higher numbers than those before.
func (c logsTail) follow(p *process, db *database, ws *workspace.Workspace, out *entryWriter, last int64) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		var head workspace.LogHead
		err := db.peek(ws.Agent(), func(r workspace.Reader) (err error) {
			head, _, err = r.Log(c.Log)
			return err
		})
		if err != nil {
			return fmt.Errorf("follow %s: %w", c.Log, err)
		}
		if head.Exists() && head.Last > last {
			if last, err = out.copy(p, ws, c.Log, last); err != nil {
				return err
			}
		}
		select {
		case <-p.ctx.Done():
			return nil
		case <-tick.C:
			if readerGone(p.out) {
				return nil
			}
		}
	}
}
