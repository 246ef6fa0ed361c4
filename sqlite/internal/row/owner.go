package row

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An OwnerForm says how the rows of owners are read in one schema. The only other
// difference for readers is that schemas 1 and 2 have no journal of changes.
type OwnerForm struct {
	Table   string // what stands for the table: it has the columns of all counters that queries name
	Columns string // to select
	Width   int    // the number of columns
	Owner   string // the query for an owner's row
	File    string // the query for an owner's row and the head of a file
	Log     string // the query for an owner's row and the head of a log

	fields func(*store.OwnerState) []any // that the checksum is of
	rest   func(*store.OwnerState) []any // that are after it; nil: none
	later  int                           // as in store.Table
}

func withQueries(f OwnerForm) *OwnerForm {
	both := func(t *store.Table) string {
		return "SELECT " + store.Of("o", f.Columns) + ", " + store.Of("h", Columns(t)) +
			" FROM (SELECT ? AS owner, ? AS path) k LEFT JOIN " + f.Table + " o ON o.owner = k.owner" +
			" LEFT JOIN " + t.Name + " h ON h.owner = k.owner AND h.path = k.path"
	}
	f.Owner = "SELECT " + f.Columns + " FROM " + f.Table + " WHERE owner = ?"
	f.File, f.Log, f.Width = both(store.FileTable), both(store.LogTable), strings.Count(f.Columns, ",")+1
	return &f
}

var ownerForm5 = withQueries(OwnerForm{
	Table: "owners", Columns: Columns(store.OwnerTable), later: store.OwnerTable.Later,
	fields: func(s *store.OwnerState) []any {
		_, fields := store.Row{State: s}.Table()
		return fields
	},
})

// OwnerFormOf returns how the rows of owners are read in a schema.
func OwnerFormOf(schema int64) *OwnerForm {
	switch schema {
	case 1:
		return ownerForm1
	case 2:
		return ownerForm2
	case 3, 4:
		return ownerForm3
	}
	return ownerForm5
}

// Read reads the row of an owner.
func (form *OwnerForm) Read(f *Fields, owner string) (s store.OwnerState, err error) {
	f.record(form.fields(&s), form.later, []any{owner})
	if form.rest != nil {
		f.Scan(form.rest(&s)...)
	}
	return s, f.Err("usage of " + owner)
}

// Values returns the row of an owner.
func (form *OwnerForm) Values(owner string, s store.OwnerState) []any {
	return record(form.fields(&s), form.later, []any{owner})
}

// List returns the statement of a query for owners of a tenant, and its arguments.
func (form *OwnerForm) List(q store.OwnersQuery) (query string, args []any) {
	query = "SELECT owner, " + form.Columns + " FROM " + form.Table + q.SQL(HoldsAnything, func(v any) string {
		if at, ok := v.(time.Time); ok {
			v = Micros(at)
		}
		args = append(args, v)
		return fmt.Sprintf("?%d", len(args))
	})
	return query, args
}

// HoldsAnything is true of a row of owners whose usage is not zero.
const HoldsAnything = "(files > 0 OR logs > 0 OR entries > 0 OR bytes > 0 OR operations > 0)"
