package migrate

import (
	"bytes"
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
	next, stop := iter.Pull2(records(c.ctx, c.to))
	defer stop()
	there, thereErr, more := next()
	to := c.to.System(c.ctx)
	for here, err := range records(c.ctx, c.from) {
		if err != nil {
			return nil, err
		}
		for more && thereErr == nil && there.Key < here.Key {
			changed = append(changed, "record "+there.Key)
			if err := to.Delete(there.Key, there.Revision); err != nil {
				return nil, fmt.Errorf("remove a record that the source does not have: %w", err)
			}
			there, thereErr, more = next()
		}
		if thereErr != nil {
			return nil, thereErr
		}
		if more && there.Key == here.Key {
			was := there
			there, thereErr, more = next()
			if was.Revision == here.Revision && was.Updated.Equal(here.Updated) && bytes.Equal(was.Value, here.Value) {
				if same != nil {
					same(here)
				}
				continue
			}
			if err := to.Delete(was.Key, was.Revision); err != nil {
				return nil, fmt.Errorf("replace a record that the source has changed: %w", err)
			}
		}
		changed = append(changed, "record "+here.Key)
		if err := to.Restore(here); err != nil {
			return nil, fmt.Errorf("copy a record: %w", err)
		}
	}
	for ; more && thereErr == nil; there, thereErr, more = next() {
		changed = append(changed, "record "+there.Key)
		if err := to.Delete(there.Key, there.Revision); err != nil {
			return nil, fmt.Errorf("remove a record that the source does not have: %w", err)
		}
	}
	return changed, thereErr
}
