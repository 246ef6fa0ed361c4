package sqlite

import (
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An ownerForm says how the rows of owners are read in one schema. The only other
// difference for readers is that schemas 1 and 2 have no journal of changes.
type ownerForm struct {
	columns  string // to select from the table o
	width    int    // the number of columns
	versions string // the expression for the versions of a row of o
	bytes    string // the expression for its bytes
	updated  string // the expression for the time of the last write
	file     string // the query for an owner's row and the head of a file
	log      string // the query for an owner's row and the head of a log
	read     func(f *row.Fields, owner string) workspace.OwnerState
}

func (f ownerForm) withQueries() *ownerForm {
	f.file = selectWithOwner(f.columns, "files", row.FileColumns)
	f.log = selectWithOwner(f.columns, "logs", row.LogColumns)
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
	ownerForm1 = ownerForm{
		columns: of("o", row.OwnerColumns1) + ", " + countVersions, width: 12,
		versions: countVersions, bytes: "max(0, o.bytes - 200 * o.requests)", updated: strconv.Itoa(row.NoTime), read: (*row.Fields).Owner1,
	}.withQueries()
	ownerForm2 = ownerForm{
		columns: of("o", row.OwnerColumns2), width: 13,
		versions: "o.versions", bytes: "o.bytes", updated: "o.updated", read: (*row.Fields).Owner2,
	}.withQueries()
	ownerForm3 = ownerForm{
		columns: of("o", row.OwnerColumns), width: 15,
		versions: "o.versions", bytes: "o.bytes", updated: "o.updated", read: (*row.Fields).Owner,
	}.withQueries()
)

// owners returns how the rows of owners are read in the connection's database.
func (c *conn) owners() *ownerForm {
	switch c.schema {
	case 1:
		return ownerForm1
	case 2:
		return ownerForm2
	}
	return ownerForm3
}

// journalSchema is the first schema with a journal of changes.
const journalSchema = 3
