package sqlite

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Totals implements [workspace.Store]. If the sum is more than the database can hold, it
// leaves out the owners whose row is damaged. So a flipped bit in one owner's row does not
// stop the writes of all.
func (s *Store) Totals(ctx context.Context, tenant string) (sum workspace.Totals, err error) {
	err = s.read(ctx, func(c *conn) error {
		var whole error
		if sum, whole = c.totals(tenant); whole == nil {
			size, err := c.Number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
			if err != nil || max(sum.Files, sum.Logs, sum.Entries, sum.Versions, sum.Requests, sum.Bytes) <= size {
				return err
			}
		}
		sum, err = c.soundTotals(tenant)
		return err
	})
	return sum, err
}

// totals adds up the rows without checking them.
func (c *conn) totals(tenant string) (sum workspace.Totals, err error) {
	form, prefix := c.owners(), tenant+"/"
	_, err = c.One(func(f *row.Fields) error {
		for _, n := range []*int64{&sum.Agents, &sum.Files, &sum.Logs, &sum.Entries, &sum.Requests, &sum.Versions, &sum.Bytes} {
			*n = f.Int()
		}
		return f.Err("totals of", tenant)
	}, "SELECT count(*), coalesce(sum(files), 0), coalesce(sum(logs), 0), coalesce(sum(entries), 0), coalesce(sum(requests), 0),"+
		" coalesce(sum("+form.Versions+"), 0), coalesce(sum("+form.Bytes+"), 0)"+
		" FROM owners o WHERE owner > ? AND owner < ? AND "+row.HoldsAnything, prefix, row.AfterPrefix(prefix))
	return sum, err
}

// soundTotals adds up the rows that match their checksums, which takes several times as
// long.
func (c *conn) soundTotals(tenant string) (sum workspace.Totals, err error) {
	form, prefix := c.owners(), tenant+"/"
	err = c.Each(func(f *row.Fields) error {
		o := form.Read(f, f.Text())
		if f.Bad {
			return nil
		}
		sum.Agents++
		sum.Files += o.Files
		sum.Logs += o.Logs
		sum.Entries += o.Entries
		sum.Requests += o.Requests
		sum.Versions += o.Versions
		sum.Bytes += o.Bytes
		return nil
	}, "SELECT owner, "+form.Columns+" FROM owners o WHERE owner > ? AND owner < ? AND "+row.HoldsAnything, prefix, row.AfterPrefix(prefix))
	return sum, err
}
