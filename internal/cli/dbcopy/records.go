package dbcopy

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// allRecords returns all records of a database but the one of an unfinished copy, in order
// of their keys.
func allRecords(system workspace.Records) iter.Seq2[workspace.Record, error] {
	return func(yield func(workspace.Record, error) bool) {
		for r, err := range records.All(system, "", "") {
			if err != nil {
				err = fmt.Errorf("records: %w", err)
			}
			if (err != nil || r.Key != recordKey) && !yield(r, err) {
				return
			}
		}
	}
}

// copyRecords makes the records of the target those of the source, and calls same with
// each that already was, unless same is nil. It returns the keys of the others.
func (c *copier) copyRecords(same func(workspace.Record)) (changed []string, err error) {
	to := c.to.System(c.ctx)
	old := map[string]workspace.Record{}
	for r, err := range allRecords(to) {
		if err != nil {
			return nil, err
		}
		old[r.Key] = r
	}
	remove := func(r workspace.Record) error {
		changed = append(changed, "record "+r.Key)
		if err := to.Delete(r.Key, r.Revision); err != nil {
			return fmt.Errorf("remove a record that the source does not have like this: %w", err)
		}
		return nil
	}
	for r, err := range allRecords(c.from.System(c.ctx)) {
		if err != nil {
			return nil, err
		}
		there, found := old[r.Key]
		delete(old, r.Key)
		switch {
		case found && there.Revision == r.Revision && there.Updated.Equal(r.Updated) &&
			bytes.Equal(there.Value, r.Value):
			if same != nil {
				same(r)
			}
			continue
		case found:
			err = remove(there)
		default:
			changed = append(changed, "record "+r.Key)
		}
		if err != nil {
			return nil, err
		}
		if err := to.Restore(r); err != nil {
			return nil, fmt.Errorf("copy a record: %w", err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		if err := remove(old[key]); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
