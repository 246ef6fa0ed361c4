package dbcopy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	Owners, Deleted                int64  // Deleted are the owners that were deleted; they are among Owners too
	Versions, Entries, Bytes, Rows int64  // Bytes are those of all content
	Records                        int64  // of the installation, such as API keys
	Resumed                        bool   // an earlier Copy had begun
	Kept                           int64  // owners that the target had when this Copy began
	Again                          int64  // owners that were copied again because the source has changed
	Digest                         string // of all rows and records; equal databases have the same one
	// Changing has owners and records that changed last, at most 10, if the source has not come
	// to rest.
	Changing []string
}

// mostPasses is how often Copy compares the databases, at most. It is done when a pass
// finds that nothing has changed since the one before.
const mostPasses = 10

// A copier is one run of Copy.
type copier struct {
	ctx      context.Context
	from, to workspace.Store
	o        Options
	report   Report
	revision int64                       // of the target's record
	restored map[store.Owner]bool        // by this run
	same     map[store.Owner]dump.Report // owners that are equal, with what was found in both databases
	total    int64                       // bytes of all owners, about
	copied   int64
	verified int64
}

// Copy copies the source into the target, and verifies the copy. The package comment says
// how.
//
// The error is [workspace.ErrConflict] if the target holds something else, if the source
// does not come to rest, and if somebody else writes to the target. It is
// [workspace.ErrCorrupt] if the source is damaged. A target that is not empty is not
// changed. After any other error, Copy can be called again.
func Copy(ctx context.Context, from, to workspace.Store, o Options) (Report, error) {
	c := &copier{ctx: ctx, from: from, to: to, o: o, restored: map[store.Owner]bool{},
		same: map[store.Owner]dump.Report{}}
	err := c.run()
	return c.report, err
}

func (c *copier) run() error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.measure(); err != nil {
		return err
	}
	if err := c.copyOwners(); err != nil {
		return err
	}
	if _, err := c.copyRecords(nil); err != nil {
		return err
	}
	for pass := 1; ; pass++ {
		changed, err := c.compare()
		switch {
		case err != nil:
			return err
		case len(changed) > 0 && pass == mostPasses:
			c.report.Changing = changed[:min(len(changed), 10)]
			return workspace.Errorf(workspace.ErrConflict,
				"the source is still being written to: %s; stop its servers, and run the same command again, which "+
					"goes on where this one stopped", strings.Join(c.report.Changing, ", "))
		}
		if len(changed) == 0 && pass > 1 {
			break
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

// measure adds up the bytes of the source, for the progress.
func (c *copier) measure() error {
	if c.o.Copying == nil && c.o.Verifying == nil {
		return nil
	}
	all, err := owners(c.ctx, c.from)
	if err != nil {
		return err
	}
	for _, o := range all {
		state, err := stateOf(c.ctx, c.from, o)
		if err != nil {
			return fmt.Errorf("read %s: %w", o, err)
		}
		c.total += state.Bytes
	}
	return nil
}

// copyOwners copies the owners that the target does not have.
func (c *copier) copyOwners() error {
	here, there, err := c.owners()
	if err != nil {
		return err
	}
	c.report.Kept = int64(len(there))
	for _, o := range here {
		if _, found := slices.BinarySearchFunc(there, o, byName); found {
			continue
		}
		if err := c.ours(); err != nil {
			return err
		}
		if err := c.restore(o); err != nil {
			return err
		}
	}
	return nil
}

// restore copies one owner. An owner that the source does not have any more leaves nothing.
func (c *copier) restore(o store.Owner) error {
	before := c.copied
	var damage error
	rows := func(yield func(store.Row, error) bool) {
		c.copied = before
		for r, err := range dump.Fitting(dump.Rows(c.ctx, c.from, o)) {
			damage = err
			if !yield(r, err) {
				return
			}
			c.progress(r)
		}
	}
	err := c.to.Restore(c.ctx, o, rows)
	switch {
	case err == nil:
		c.restored[o] = true
		return nil
	case damage != nil && (errors.Is(damage, workspace.ErrCorrupt) || errors.Is(damage, workspace.ErrInvalid)):
		return damaged(o, damage)
	case errors.Is(err, workspace.ErrConflict):
		return nil // the last commit of a Copy that was killed may come late: compare looks at it
	}
	return fmt.Errorf("copy %s: %w", o, err)
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

// compare compares all owners and records of both databases, and copies again those that
// differ. It returns the names of those that have changed.
func (c *copier) compare() (changed []string, err error) {
	r := &c.report
	r.Owners, r.Deleted, r.Versions, r.Entries, r.Bytes, r.Rows, r.Records = 0, 0, 0, 0, 0, 0, 0
	c.verified = 0
	digest := sha256.New()
	here, there, err := c.owners()
	if err != nil {
		return nil, err
	}
	for _, o := range union(here, there) {
		same, err := c.compareOwner(o)
		if err != nil {
			return nil, err
		}
		if !same {
			r.Again++
			changed = append(changed, o.String())
			continue
		}
		c.count(c.same[o])
		fmt.Fprintf(digest, "%q %x\n", o.String(), c.same[o].Digest)
	}
	records, err := c.copyRecords(func(rec workspace.Record) {
		r.Records++
		fmt.Fprintf(digest, "%q %q %d %d\n", rec.Key, rec.Value, rec.Revision, rec.Updated.UnixMicro())
	})
	r.Digest = hex.EncodeToString(digest.Sum(nil))
	return append(changed, records...), err
}

// compareOwner compares an owner of both databases, and copies the owner again if they
// differ. If all rows were compared before, it looks at the states alone: every write
// changes its owner's.
func (c *copier) compareOwner(o store.Owner) (same bool, err error) {
	if before, ok := c.same[o]; ok {
		here, there, err := c.states(o)
		if err != nil || here == before.State && there == before.State {
			return true, err
		}
		delete(c.same, o)
	}
	here, there, err := c.check(o)
	switch {
	case err != nil:
		return false, err
	case here.Digest != there.Digest:
		return false, c.again(o)
	}
	c.same[o] = here
	return true, nil
}

// count adds an owner to the report.
func (c *copier) count(o dump.Report) {
	r := &c.report
	if o.Rows > 0 { // else it is gone from both
		r.Owners++
	}
	if o.State.IsDeleted() {
		r.Deleted++
	}
	r.Versions += o.Versions
	r.Entries += o.Entries
	r.Bytes += o.Bytes
	r.Rows += o.Rows
	c.verified += o.Bytes
	if c.o.Verifying != nil {
		c.o.Verifying(min(c.verified, c.total), c.total)
	}
}

// check reads all rows of an owner in both databases.
func (c *copier) check(o store.Owner) (here, there dump.Report, err error) {
	var copyErr error
	var both sync.WaitGroup
	both.Go(func() { there, copyErr = dump.Check(c.ctx, c.to, o) })
	here, err = dump.Check(c.ctx, c.from, o)
	both.Wait()
	switch {
	case errors.Is(err, workspace.ErrCorrupt):
		return here, there, damaged(o, err)
	case err != nil:
		return here, there, fmt.Errorf("verify %s: %w", o, err)
	case copyErr != nil:
		return here, there, fmt.Errorf("verify %s in the copy: %w", o, copyErr)
	case here.Problems != nil:
		return here, there, damaged(o, errors.New(here.Problems[0]))
	case there.Problems != nil:
		return here, there, workspace.Errorf(workspace.ErrCorrupt, "verify %s: the copy is damaged: %s", o,
			there.Problems[0])
	}
	return here, there, nil
}
