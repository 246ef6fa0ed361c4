package dbcopy

import (
	"cmp"
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

// mostNamed is how many owners and records an error names.
const mostNamed = 10

// compare compares all owners and records of both databases, and counts them for the report.
// The error is [workspace.ErrConflict] if any differ.
func (c *copier) compare() error {
	c.report = Report{Resumed: c.report.Resumed}
	c.verified = 0
	digest := sha256.New()
	here, there, err := c.owners()
	if err != nil {
		return err
	}
	all := slices.Concat(here, there)
	slices.SortFunc(all, func(a, b store.Owner) int { return cmp.Compare(a.String(), b.String()) })
	var differ []string
	for _, o := range slices.Compact(all) {
		same, err := c.compareOwner(o)
		if err != nil {
			return err
		}
		if !same {
			differ = append(differ, o.String())
			continue
		}
		c.count(c.same[o])
		fmt.Fprintf(digest, "%q %x\n", o.String(), c.same[o].Digest)
	}
	changed, err := c.compareRecords(digest)
	if err != nil {
		return err
	}
	if differ = append(differ, changed...); len(differ) > 0 {
		return workspace.Errorf(workspace.ErrConflict,
			"the databases were written to while one was copied: %s; stop the servers of both, and copy into a new "+
				"database", strings.Join(differ[:min(len(differ), mostNamed)], ", "))
	}
	c.report.Digest = hex.EncodeToString(digest.Sum(nil))
	return nil
}

// compareOwner reports whether an owner is the same in both databases. If all rows were
// compared before, it looks at the states alone: every write changes its owner's.
func (c *copier) compareOwner(o store.Owner) (same bool, err error) {
	if before, ok := c.same[o]; ok {
		here, err1 := stateOf(c.ctx, c.from, o)
		there, err2 := stateOf(c.ctx, c.to, o)
		return here == before.State && there == before.State, errors.Join(err1, err2)
	}
	here, there, err := c.check(o)
	c.same[o] = here
	return here.Digest == there.Digest, err
}

// stateOf returns an owner's state as a dump has it, the zero value if there is none.
func stateOf(ctx context.Context, s workspace.Store, o store.Owner) (state store.OwnerState, err error) {
	for r, err := range dump.Rows(ctx, s, o) {
		if err != nil {
			return state, fmt.Errorf("read %s: %w", o, err)
		}
		if r.State != nil { // it comes first
			state = *r.State
		}
		break
	}
	return state, nil
}

// count adds an owner to the report.
func (c *copier) count(o dump.Report) {
	r := &c.report
	if o.State.IsDeleted() {
		r.Deleted++
	} else if o.Rows > 0 { // else it is gone from both
		r.Agents++
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

// owners returns the owners of both databases, in order.
func (c *copier) owners() (here, there []store.Owner, err error) {
	here, err1 := owners(c.ctx, c.from)
	there, err2 := owners(c.ctx, c.to)
	return here, there, cmp.Or(err1, err2)
}

// owners returns all owners of a database, in order.
func owners(ctx context.Context, s workspace.Store) (all []store.Owner, err error) {
	for o, err := range store.EveryOwner(ctx, s) {
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}
