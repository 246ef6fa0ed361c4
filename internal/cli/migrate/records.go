package migrate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// recordsPage is how many records are listed at once.
const recordsPage = 500

// records returns all records of a database but the one of an unfinished copy, in order of
// their keys.
func records(ctx context.Context, s workspace.Store) iter.Seq2[workspace.Record, error] {
	return func(yield func(workspace.Record, error) bool) {
		for after := ""; ; {
			page, err := s.System(ctx).List("", after, recordsPage)
			if err != nil {
				yield(workspace.Record{}, fmt.Errorf("records: %w", err))
				return
			}
			for _, r := range page {
				after = r.Key
				if r.Key != recordKey && !yield(r, nil) {
					return
				}
			}
			if len(page) < recordsPage {
				return
			}
		}
	}
}

// copyRecords makes the records of the target those of the source, and calls same with
// each that already was, unless same is nil. It returns the keys of the others.
func (c *copier) copyRecords(same func(workspace.Record)) (changed []string, err error) {
	to := c.to.System(c.ctx)
	byKey := func(a, b workspace.Record) int { return cmp.Compare(a.Key, b.Key) }
	for p, err := range pairs(records(c.ctx, c.from), records(c.ctx, c.to), byKey) {
		if err != nil {
			return nil, err
		}
		here, there := p.here, p.there
		if here != nil && there != nil && there.Revision == here.Revision && there.Updated.Equal(here.Updated) &&
			bytes.Equal(there.Value, here.Value) {
			if same != nil {
				same(*here)
			}
			continue
		}
		changed = append(changed, "record "+cmp.Or(here, there).Key)
		if there != nil {
			if err := to.Delete(there.Key, there.Revision); err != nil {
				return nil, fmt.Errorf("remove a record that the source does not have like this: %w", err)
			}
		}
		if here != nil {
			if err := to.Restore(*here); err != nil {
				return nil, fmt.Errorf("copy a record: %w", err)
			}
		}
	}
	return changed, nil
}
