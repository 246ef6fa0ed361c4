package pages

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Check is SQLite's own check of the structure of a database, before a pass. On a damaged
// database, a page that is in use may also be in the list of free pages, or belong to two
// rows. A pass would take content away that can still be saved.
type Check struct {
	result chan error
	stop   func()
}

// BeginCheck begins a check in the background, on a connection of its own. It writes
// nothing and delays nobody. same returns an error if another file is at the path now.
func BeginCheck(path string, same func() error) *Check {
	ctx, stop := context.WithCancel(context.Background())
	c := &Check{result: make(chan error, 1), stop: stop}
	go func() { c.result <- check(ctx, path, same) }()
	return c
}

func check(ctx context.Context, path string, same func() error) error {
	if err := same(); err != nil {
		return err
	}
	c, err := engine.Dial(path, "rw", "busy_timeout(15000)", "query_only(1)", "trusted_schema(OFF)", "cache_size(-1024)")
	if err != nil {
		return err
	}
	defer c.Close()
	if err := same(); err != nil {
		return err
	}
	return c.EachUntil(ctx, func(f *row.Fields) error {
		if said := f.Next(); said != "ok" {
			return corrupt("the database is damaged (%v), so nothing was changed; restore it from a backup", said)
		}
		return nil
	}, "PRAGMA quick_check(1)")
}

// Result returns what the check has found: [workspace.ErrCorrupt] for damage. It is
// [workspace.ErrBusy] as long as the check has not ended.
func (c *Check) Result() error {
	select {
	case err := <-c.result:
		c.stop()
		c.result <- err
		return err
	default:
		return workspace.ErrBusy
	}
}

// Stop ends the check and waits for its end. Without a check it does nothing.
func (c *Check) Stop() {
	if c == nil {
		return
	}
	c.stop()
	<-c.result
}
