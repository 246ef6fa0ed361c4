package dbcopy

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Options of [Copy].
type Options struct {
	From string // the name of the source in the target's record and in errors, without a password

	// Copying and Verifying are called now and then with the bytes of content that are
	// copied or verified, and the bytes of all content. nil: not called.
	Copying, Verifying func(done, total int64)
}

// A Report says what [Copy] has copied. The counts are those of the whole copy, also after
// Copy has resumed an earlier one.
type Report struct {
	Agents   int64  `json:"agents"`                   // that hold anything
	Deleted  int64  `json:"deleted_agents,omitempty"` // whose numbers alone are kept
	Versions int64  `json:"versions"`
	Entries  int64  `json:"entries"`
	Bytes    int64  `json:"bytes"` // of all content
	Rows     int64  `json:"rows"`
	Records  int64  `json:"records"`           // of the installation, such as API keys
	Resumed  bool   `json:"resumed,omitempty"` // an earlier Copy had begun
	Digest   string `json:"digest"`            // of all rows and records; equal databases have the same one
}

// A copier is one run of Copy.
type copier struct {
	ctx      context.Context
	from, to workspace.Store
	o        Options
	report   Report
	revision int64                       // of the target's record
	same     map[store.Owner]dump.Report // owners that are equal, with what was found in both databases
	total    int64                       // bytes of all owners, about
	copied   int64
	verified int64
}

// Copy copies the source into the target, and verifies the copy. The package comment says
// how.
//
// The error is [workspace.ErrConflict] if the target holds something else, and if the source
// or the target is written to meanwhile. It is [workspace.ErrCorrupt] if the source is
// damaged. A target that is not empty is not changed. After any other error, Copy can be
// called again.
func Copy(ctx context.Context, from, to workspace.Store, o Options) (Report, error) {
	c := &copier{ctx: ctx, from: from, to: to, o: o, same: map[store.Owner]dump.Report{}}
	err := c.run()
	return c.report, err
}

func (c *copier) run() error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.copyOwners(); err != nil {
		return err
	}
	if err := c.copyRecords(); err != nil {
		return err
	}
	for range 2 { // the second time finds what has changed during the first
		if err := c.compare(); err != nil {
			return err
		}
	}
	if err := c.ours(); err != nil {
		return err
	}
	if err := c.unmark(); err != nil {
		return fmt.Errorf("mark the copy as complete: %w", err)
	}
	return nil
}

// copyOwners copies the owners that the target does not have.
func (c *copier) copyOwners() error {
	here, there, err := c.owners()
	if err != nil {
		return err
	}
	if c.o.Copying != nil || c.o.Verifying != nil {
		for _, o := range here {
			state, err := stateOf(c.ctx, c.from, o)
			if err != nil {
				return err
			}
			c.total += state.Bytes
		}
	}
	has := map[store.Owner]bool{}
	for _, o := range there {
		has[o] = true
	}
	for _, o := range here {
		if has[o] {
			continue
		}
		if err := c.ours(); err != nil {
			return err
		}
		if err := c.copyOwner(o); err != nil {
			return err
		}
	}
	return nil
}

// copyOwner copies one owner. An owner that the source does not have any more leaves nothing.
func (c *copier) copyOwner(o store.Owner) error {
	before := c.copied
	err := c.to.Restore(c.ctx, o, func(yield func(store.Row, error) bool) {
		c.copied = before // the target may ask for the rows again
		for r, err := range dump.Rows(c.ctx, c.from, o) {
			if !yield(r, err) {
				return
			}
			c.progress(r)
		}
	})
	switch {
	case errors.Is(err, workspace.ErrConflict):
		return nil // the last commit of a Copy that was killed may come late: compare looks at it
	case errors.Is(err, workspace.ErrCorrupt), errors.Is(err, workspace.ErrInvalid):
		return damaged(o, err)
	case err != nil:
		return fmt.Errorf("copy %s: %w", o, err)
	}
	return nil
}

func damaged(o store.Owner, err error) error {
	return workspace.Errorf(workspace.ErrCorrupt,
		"copy %s: the source is damaged: %v; scratchpad verify lists the problems", o, err)
}

func (c *copier) progress(r store.Row) {
	switch {
	case r.Version != nil:
		c.copied += int64(len(r.Version.Content))
	case r.Summary != nil:
		c.copied += int64(len(r.Summary.Content))
	case r.Entry != nil:
		c.copied += int64(len(r.Entry.Content))
	default:
		return
	}
	if c.o.Copying != nil {
		c.o.Copying(min(c.copied, c.total), c.total)
	}
}
