package dbcopy

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// allRecords returns the records of a database by their keys, but not the one of an
// unfinished copy.
func (c *copier) allRecords(s workspace.Store) (map[string]workspace.Record, error) {
	all := map[string]workspace.Record{}
	for r, err := range records.All(s.System(c.ctx), "", "") {
		if err != nil {
			return nil, fmt.Errorf("records: %w", err)
		}
		if r.Key != recordKey {
			all[r.Key] = r
		}
	}
	return all, nil
}

// bothRecords returns the records of both databases, and the keys of those that are not in
// both, or differ.
func (c *copier) bothRecords() (here, there map[string]workspace.Record, differ []string, err error) {
	if here, err = c.allRecords(c.from); err != nil {
		return nil, nil, nil, err
	}
	if there, err = c.allRecords(c.to); err != nil {
		return nil, nil, nil, err
	}
	keys := maps.Clone(here)
	maps.Copy(keys, there)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		a, b := here[key], there[key]
		if a.Revision != b.Revision || !a.Updated.Equal(b.Updated) || !bytes.Equal(a.Value, b.Value) {
			differ = append(differ, key)
		}
	}
	return here, there, differ, nil
}

// copyRecords makes the records of the target those of the source.
func (c *copier) copyRecords() error {
	here, there, differ, err := c.bothRecords()
	if err != nil {
		return err
	}
	to := c.to.System(c.ctx)
	for _, key := range differ {
		if r, found := there[key]; found { // from a Copy that was killed
			if err := to.Delete(key, r.Revision); err != nil {
				return fmt.Errorf("remove a record that the source does not have like this: %w", err)
			}
		}
		if r, found := here[key]; found {
			if err := to.Restore(r); err != nil {
				return fmt.Errorf("copy a record: %w", err)
			}
		}
	}
	return nil
}

// compareRecords returns the names of the records that differ, counts the others and writes
// them to the digest.
func (c *copier) compareRecords(digest io.Writer) (names []string, err error) {
	here, _, differ, err := c.bothRecords()
	for _, key := range differ {
		names = append(names, "record "+key)
	}
	c.report.Records = int64(len(here))
	for _, key := range slices.Sorted(maps.Keys(here)) {
		r := here[key]
		fmt.Fprintf(digest, "%q %q %d %d\n", r.Key, r.Value, r.Revision, r.Updated.UnixMicro())
	}
	return names, err
}
