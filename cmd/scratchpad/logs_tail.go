package main

import (
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsTail struct {
	Log     string       `arg:"" help:"The log."`
	Entries flags.Number `short:"n" default:"10" placeholder:"N" help:"Print the last N entries. Default: ${default}."`
	Follow  bool         `short:"f"`
}

// pollInterval is how often tail -f looks for new entries. Each look is a small read.
const pollInterval = 200 * time.Millisecond

// Run prints the newest entries, and with -f each new one.
func (c logsTail) Run(p *process) error {
	open := p.openToLook
	if c.Follow {
		open = p.awaitDatabase
	}
	err := p.use(open, func(db *database.Handle) error {
		ws, err := p.workspace(db)
		if err != nil {
			return err
		}
		out := p.newEntryWriter()
		last, err := newest(p, ws, c.Log)
		if c.Follow && errors.Is(err, workspace.ErrNotFound) {
			p.note("%s has no entry yet; waiting for one\n", c.Log)
			err = nil
		} else if err == nil {
			last, err = out.copy(p, ws, c.Log, max(0, last-int64(c.Entries)))
		}
		if err == nil && c.Follow {
			err = c.follow(p, ws, out, last)
		}
		return p.sayAgent(err)
	})
	if c.Follow && (p.ctx.Err() != nil || errors.Is(err, errReaderGone)) {
		return nil
	}
	return err
}

// awaitDatabase opens the database for a command that only looks, as soon as another
// process has made it.
func (p *process) awaitDatabase() (*database.Handle, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for said := false; ; {
		db, err := p.openToLook()
		if !errors.Is(err, workspace.ErrNotFound) {
			return db, err
		}
		if !said {
			name, _ := p.databasePath(false) // it has no error, because openToLook used it
			p.note("there is no database at %s yet; waiting for it\n", pgurl.Short(name))
			said = true
		}
		if err := p.await(tick); err != nil {
			return nil, err
		}
	}
}

var errReaderGone = errors.New("nobody reads the output")

// await waits for a tick. A signal is an error, and so is an output that nobody reads
// any more.
func (p *process) await(tick *time.Ticker) error {
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-tick.C:
	}
	if native.ReaderGone(p.out) {
		return errReaderGone
	}
	return nil
}

// follow prints the entries after the last one, until nobody reads them. If the log is
// deleted and created again, its entries have higher numbers than before.
func (c logsTail) follow(p *process, ws *workspace.Workspace, out *entryWriter, last int64) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		logs, err := ws.ListLogs(p.ctx, workspace.ListOptions{Prefix: c.Log, Limit: 1}) // the log itself comes first
		if err != nil {
			return err
		}
		if len(logs.Logs) > 0 && logs.Logs[0].Path == c.Log && logs.Logs[0].Last > last {
			if last, err = out.copy(p, ws, c.Log, last); err != nil {
				return err
			}
		}
		if err := p.await(tick); err != nil {
			return err
		}
	}
}
