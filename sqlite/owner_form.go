package sqlite

import (
	"strconv"
	"strings"

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
	read     func(f *fields, owner string) workspace.OwnerState
}

func (f ownerForm) withQueries() *ownerForm {
	f.file = selectWithOwner(f.columns, "files", fileColumns)
	f.log = selectWithOwner(f.columns, "logs", logColumns)
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
		columns: of("o", ownerColumns1) + ", " + countVersions, width: 12,
		versions: countVersions, bytes: "max(0, o.bytes - 200 * o.requests)", updated: strconv.Itoa(noTime), read: (*fields).owner1,
	}.withQueries()
	ownerForm2 = ownerForm{
		columns: of("o", ownerColumns2), width: 13,
		versions: "o.versions", bytes: "o.bytes", updated: "o.updated", read: (*fields).owner2,
	}.withQueries()
	ownerForm3 = ownerForm{
		columns: of("o", ownerColumns), width: 15,
		versions: "o.versions", bytes: "o.bytes", updated: "o.updated", read: (*fields).owner,
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

const ownerColumns2 = "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, updated, crc"

// ownerValues2 are the values of a row of schema 2.
func ownerValues2(owner string, s workspace.OwnerState) []any {
	v := []any{owner, s.Files, s.Logs, s.Entries, s.Versions, s.Bytes, s.Operations,
		s.FileFloor, s.LogFloor, s.DeletedFiles, s.DeletedLogs, s.Requests, micros(s.Updated)}
	return append(v, sum(v...))
}

// owner2 reads a row of schema 2.
func (f *fields) owner2(owner string) (s workspace.OwnerState) {
	for _, n := range []*int64{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests} {
		*n = f.int()
	}
	s.Updated = f.time()
	v := ownerValues2(owner, s)
	f.check(v[:len(v)-1]...)
	return s
}

const ownerColumns1 = "files, logs, entries, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, crc"

// owner1 reads a row of schema 1. There, bytes included 200 for each request, and versions
// were not counted.
func (f *fields) owner1(owner string) (s workspace.OwnerState) {
	v := []any{owner}
	for _, n := range []*int64{&s.Files, &s.Logs, &s.Entries, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests} {
		*n = f.int()
		v = append(v, *n)
	}
	f.check(v...)
	s.Bytes = max(0, s.Bytes-200*s.Requests)
	s.Versions = f.int()
	return s
}
