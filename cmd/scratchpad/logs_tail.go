package main

import (
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsTail struct {
	Log     string       `arg:""`
	Entries flags.Number `short:"n" default:"10" placeholder:"N" help:"Print the last N entries. Default: ${default}."`
	Follow  bool         `short:"f"`
}

// pollInterval is how often tail -f looks for new entries. Each look is a small read.
const pollInterval = 200 * time.Millisecond

// Run prints the newest entries, and with -f each new one.
func (c logsTail) Run(p *process) error {
	if c.Follow {
		return p.whileRead(c.print)
	}
	return c.print(p)
}

func (c logsTail) print(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		out := p.newEntryWriter()
		head, err := newest(p, ws, c.Log)
		last := head.Last
		if c.Follow && errors.Is(err, workspace.ErrNotFound) {
			p.note("%s has no entry yet; waiting for one\n", c.Log)
			err = nil
		} else if err == nil {
			last, err = out.copy(p, ws, c.Log, max(0, last-int64(c.Entries)))
		}
		if err != nil || !c.Follow {
			return err
		}
		c.Log = head.Path // in NFC
		return c.follow(p, ws, out, last)
	})
}

// whileRead runs fn with a context that also ends when nobody reads the output any more. That is
// no error, nor is a signal.
func (p process) whileRead(fn func(*process) error) error {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	p.ctx = ctx
	go func() {
		for p.pause() == nil && !native.ReaderGone(p.out) {
		}
		cancel()
	}()
	if err := fn(&p); ctx.Err() == nil {
		return err
	}
	return nil
}

// pause waits until the next look. The error is that of a context that has ended.
func (p *process) pause() error {
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-time.After(pollInterval):
		return nil
	}
}

// follow prints the entries after the last one, until nobody reads them. If the log is
// deleted and created again, its entries have higher numbers than before.
func (c logsTail) follow(p *process, ws *workspace.Workspace, out *entryWriter, last int64) error {
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
		if err := p.pause(); err != nil {
			return err
		}
	}
}
