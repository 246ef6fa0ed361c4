package row

import (
	"fmt"
	"strings"
)

// The statements that store rows. Their arguments are those of XValues. Insert adds a row,
// Update changes the one that has its key, and Put does either. A Put that changes a row
// takes a quarter longer than an Update, because it checks the new row twice. INSERT OR
// REPLACE takes longer still: SQLite copies every page that it changes, to undo it.
var (
	InsertOwner   = insert("owners", OwnerColumns)
	InsertVersion = insert("versions", VersionColumns+", content")
	InsertEntry   = insert("entries", EntryColumns+", content")
	InsertChange  = insert("changes", ChangeColumns)

	UpdateOwner = update("owners", OwnerColumns, 0) + " WHERE owner = ?1"
	UpdateFile  = update("files", FileColumns, 1) + " WHERE owner = ?1 AND path = ?2"
	UpdateLog   = update("logs", LogColumns, 1) + " WHERE owner = ?1 AND path = ?2"

	PutFile    = insert("files", FileColumns) + orUpdate("path", FileColumns)
	PutLog     = insert("logs", LogColumns) + orUpdate("path", LogColumns)
	PutRequest = insert("requests", RequestColumns) + orUpdate("key", RequestColumns)
	PutSummary = strings.Replace(insert("summaries", SummaryColumns+", content"), "INSERT", "INSERT OR REPLACE", 1)

	// PruneVersions and PruneEntries remove those of a path up to a number.
	PruneVersions = "DELETE FROM versions WHERE owner = ? AND path = ? AND version <= ?"
	PruneEntries  = "DELETE FROM entries WHERE owner = ? AND path = ? AND entry <= ?"

	// ReplaceVersion changes the version whose number comes after the values.
	ReplaceVersion = update("versions", VersionColumns+", content", 1) +
		" WHERE owner = ?1 AND path = ?2 AND version = ?12"
)

func insert(table, columns string) string {
	return "INSERT INTO " + table + " (owner, " + columns + ") VALUES (?" +
		strings.Repeat(", ?", strings.Count(columns, ",")+1) + ")"
}

// orUpdate is for a table whose key is the owner and the first of the columns.
func orUpdate(key, columns string) string {
	var set []string
	for _, c := range strings.Split(columns, ", ")[1:] {
		set = append(set, c+" = excluded."+c)
	}
	return " ON CONFLICT (owner, " + key + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// update sets the columns but for the first keys of them.
func update(table, columns string, keys int) string {
	var set []string
	for i, c := range strings.Split(columns, ", ")[keys:] {
		set = append(set, fmt.Sprintf("%s = ?%d", c, 2+keys+i))
	}
	return "UPDATE " + table + " SET " + strings.Join(set, ", ")
}
