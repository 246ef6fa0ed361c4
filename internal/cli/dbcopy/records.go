package dbcopy

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// eachRecord calls fn with each record as it is in the source and in the target, and with the
// zero Record where it is not. It leaves out the record of an unfinished copy.
func (c *copier) eachRecord(fn func(here, there workspace.Record) error) error {
	there := map[string]workspace.Record{}
	for r, err := range records.All(c.to.System(c.ctx), "", "") {
		if err != nil {
			return fmt.Errorf("records of the copy: %w", err)
		}
		there[r.Key] = r
	}
	delete(there, recordKey)
	for r, err := range records.All(c.from.System(c.ctx), "", "") {
		if err != nil {
			return fmt.Errorf("records: %w", err)
		}
		if err := fn(r, there[r.Key]); err != nil {
			return err
		}
		delete(there, r.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(there)) {
		if err := fn(workspace.Record{}, there[key]); err != nil {
			return err
		}
	}
	return nil
}

func isSame(a, b workspace.Record) bool {
	return a.Key == b.Key && a.Revision == b.Revision && a.Updated.Equal(b.Updated) && bytes.Equal(a.Value, b.Value)
}

// copyRecords makes the records of the target those of the source.
func (c *copier) copyRecords() error {
	to := c.to.System(c.ctx)
	return c.eachRecord(func(here, there workspace.Record) error {
		if isSame(here, there) {
			return nil
		}
		if there.Revision > 0 { // from a Copy that was killed
			if err := to.Delete(there.Key, there.Revision); err != nil {
				return fmt.Errorf("remove a record that the source does not have like this: %w", err)
			}
		}
		if here.Revision > 0 {
			if err := to.Restore(here); err != nil {
				return fmt.Errorf("copy a record: %w", err)
			}
		}
		return nil
	})
}

// compareRecords returns the names of the records that differ. It counts the others and writes
// them to the digest.
func (c *copier) compareRecords(digest io.Writer) (names []string, err error) {
	err = c.eachRecord(func(here, there workspace.Record) error {
		if !isSame(here, there) {
			names = append(names, "record "+cmp.Or(here.Key, there.Key))
			return nil
		}
		c.report.Records++
		_, err := fmt.Fprintf(digest, "%q %q %d %d\n", here.Key, here.Value, here.Revision, here.Updated.UnixMicro())
		return err
	})
	return names, err
}
