package row

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An OwnerForm says how the rows of owners are read in one schema. The only other
// difference for readers is that schemas 1 and 2 have no journal of changes.
type OwnerForm struct {
	Columns  string // to select from the table o
	Width    int    // the number of columns
	Versions string // the expression for the versions of a row of o
	Bytes    string // the expression for its bytes
	Updated  string // the expression for the time of the last write
	File     string // the query for an owner's row and the head of a file
	Log      string // the query for an owner's row and the head of a log
	Read     func(f *Fields, owner string) store.OwnerState
}

func (f OwnerForm) withQueries() *OwnerForm {
	f.File = selectWithOwner(f.Columns, "files", FileColumns)
	f.Log = selectWithOwner(f.Columns, "logs", LogColumns)
	return &f
}

func selectWithOwner(owner, table, columns string) string {
	return "SELECT " + owner + ", " + of("h", columns) +
		" FROM (SELECT ? AS owner, ? AS path) k LEFT JOIN owners o ON o.owner = k.owner" +
		" LEFT JOIN " + table + " h ON h.owner = k.owner AND h.path = k.path"
}

// of returns the columns with the name of a table before each.
func of(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

const countVersions = "(SELECT count(*) FROM versions v WHERE v.owner = o.owner)"

var (
	ownerForm1 = OwnerForm{
		Columns: of("o", OwnerColumns1) + ", " + countVersions, Width: 12,
		Versions: countVersions, Bytes: "max(0, o.bytes - 200 * o.requests)", Updated: strconv.Itoa(NoTime),
		Read: (*Fields).Owner1,
	}.withQueries()
	ownerForm2 = OwnerForm{
		Columns: of("o", OwnerColumns2), Width: 13,
		Versions: "o.versions", Bytes: "o.bytes", Updated: "o.updated", Read: (*Fields).Owner2,
	}.withQueries()
	ownerForm3 = OwnerForm{
		Columns: of("o", OwnerColumns), Width: 15,
		Versions: "o.versions", Bytes: "o.bytes", Updated: "o.updated", Read: (*Fields).Owner,
	}.withQueries()
)

// OwnerFormOf returns how the rows of owners are read in a schema.
func OwnerFormOf(schema int64) *OwnerForm {
	switch schema {
	case 1:
		return ownerForm1
	case 2:
		return ownerForm2
	}
	return ownerForm3
}

// List returns the statement of a query for owners of a tenant that hold anything or are
// deleted, and its arguments.
func (form *OwnerForm) List(q store.OwnersQuery) (string, []any) {
	tenant := q.Tenant + "/"
	where := []string{"owner >= ?", "owner < ?", HoldsAnything}
	args := []any{tenant + q.Prefix, AfterPrefix(tenant + q.Prefix)}
	if q.Which == store.DeletedOwners {
		where[2] = isDeleted + " AND (updated < ? OR updated > ?)"
		args = append(args, Micros(q.From), Micros(q.Until))
	}
	if q.Part != "" { // names are ASCII, and so is lower
		where = append(where, "instr(lower(substr(owner, ?)), ?) > 0")
		args = append(args, int64(len(tenant)+1), strings.ToLower(q.Part))
	}
	order := map[store.OwnersOrder]string{store.ByUpdated: form.Updated, store.ByBytes: form.Bytes}[q.Order]
	if q.After != nil {
		name := tenant + q.After.Owner.Agent
		if order == "" {
			where = append(where, "owner > ?")
			args = append(args, name)
		} else {
			at := q.After.Usage.Bytes
			if q.Order == store.ByUpdated {
				at = Micros(q.After.Updated)
			}
			where = append(where, "("+order+" < ? OR "+order+" = ? AND owner > ?)")
			args = append(args, at, at, name)
		}
	}
	by := "owner"
	if order != "" {
		by = order + " DESC, owner"
	}
	args = append(args, int64(q.Limit))
	return "SELECT owner, " + form.Columns + " FROM owners o WHERE " + strings.Join(where, " AND ") + " ORDER BY " +
		by + " LIMIT ?", slices.Clip(args)
}

// HoldsAnything is true of a row of owners whose usage is not zero.
const HoldsAnything = "(files > 0 OR logs > 0 OR entries > 0 OR bytes > 0 OR operations > 0)"

// isDeleted is true of a row of owners that has numbers alone.
const isDeleted = "NOT " + HoldsAnything +
	" AND requests = 0 AND deleted_files = 0 AND deleted_logs = 0 AND versions = 0 AND changes = 0"

// AfterPrefix returns a string that sorts after every path with the prefix and before all
// later paths. Paths are UTF-8, so none contains the byte 0xff, and SQLite compares the
// bytes.
func AfterPrefix(prefix string) string { return prefix + "\xff" }
