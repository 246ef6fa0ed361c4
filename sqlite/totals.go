package sqlite

import (
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// totals adds up what the owners of a tenant have. If the sum is more than the database can
// hold, it leaves out the owners whose row is damaged. So a flipped bit in one owner's row
// does not stop the writes of all.
func (c *conn) totals(tenant string) (store.Totals, error) {
	sum, err := c.quickTotals(tenant)
	if err != nil {
		return c.soundTotals(tenant)
	}
	size, err := c.Number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
	if err != nil || max(sum.Files, sum.Logs, sum.Entries, sum.Versions, sum.Requests, sum.Bytes) <= size {
		return sum, err
	}
	return c.soundTotals(tenant)
}

// quickTotals adds up the rows without checking them.
func (c *conn) quickTotals(tenant string) (sum store.Totals, err error) {
	form, prefix := c.owners(), tenant+"/"
	_, err = c.One(func(f *row.Fields) error {
		for _, n := range []*int64{&sum.Agents, &sum.Files, &sum.Logs, &sum.Entries, &sum.Requests, &sum.Versions,
			&sum.Bytes} {
			*n = f.Int()
		}
		return f.Err("totals of", tenant)
	}, "SELECT count(*), coalesce(sum(files), 0), coalesce(sum(logs), 0), coalesce(sum(entries), 0), "+
		"coalesce(sum(requests), 0),"+
		" coalesce(sum("+form.Versions+"), 0), coalesce(sum("+form.Bytes+"), 0)"+
		" FROM owners o WHERE owner > ? AND owner < ? AND "+row.HoldsAnything, prefix, row.AfterPrefix(prefix))
	return sum, err
}

// soundTotals adds up the rows that match their checksums, which takes several times as
// long.
func (c *conn) soundTotals(tenant string) (sum store.Totals, err error) {
	form, prefix := c.owners(), tenant+"/"
	err = c.Each(func(f *row.Fields) error {
		if o := form.Read(f, f.Text()); !f.Bad {
			sum.Add(o)
		}
		return nil
	}, "SELECT owner, "+form.Columns+" FROM owners o WHERE owner > ? AND owner < ? AND "+row.HoldsAnything, prefix,
		row.AfterPrefix(prefix))
	return sum, err
}
