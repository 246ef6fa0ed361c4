package row

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The statements that store rows, by table. Their arguments are those of [Values]. Insert
// adds a row, Update changes the one that has its key, and Put does either. A Put that
// changes a row takes a quarter longer than an Update, because it checks the new row twice.
// INSERT OR REPLACE takes longer still: SQLite copies every page that it changes, to undo it.
var (
	Insert = statements(func(t *store.Table, keys, rest []string) string {
		columns := append(keys, rest...)
		return "INSERT INTO " + t.Name + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
			strings.Repeat(", ?", len(columns)-1) + ")"
	})
	Put = statements(func(t *store.Table, keys, rest []string) string {
		set := ""
		for _, c := range rest {
			set += fmt.Sprintf(", %s = excluded.%s", c, c)
		}
		return Insert[t] + " ON CONFLICT (" + strings.Join(keys, ", ") + ") DO UPDATE SET " + set[2:]
	})
	Update = statements(update)
	// ReplaceVersion changes the version whose number comes after the values.
	ReplaceVersion = strings.NewReplacer(" SET ", " SET version = ?3, ", "version = ?3", "version = ?13").Replace(
		Update[store.VersionTable])
)

// usual are the updates of rows whose Later columns are zero and stay so. They do not touch
// these columns, and cost what they cost without them.
var usual = map[*store.Table]string{
	store.OwnerTable: usualUpdate(store.OwnerTable, "deleted_bytes = 0 AND restorable = 0 AND next_expiry = "+noExpiry),
	store.FileTable:  usualUpdate(store.FileTable, "expires = "+noExpiry+" AND past = x''"),
}

const noExpiry = "-9223372036854775808" // noTime

func usualUpdate(t *store.Table, zero string) string {
	columns := strings.Split(t.Columns, ", ")
	columns = append(columns[:len(columns)-t.Later], "crc")
	keys := []string{"owner"}
	if t.Key != "" {
		keys, columns = append(keys, columns[0]), columns[1:]
	}
	return update(t, keys, columns) + " AND " + zero
}

// ToUpdate returns the statement that changes the row with the key of r, and its arguments. It
// may find no row if the row was not usual before.
func ToUpdate(owner string, r store.Row) (query string, values []any) {
	t, values := Values(owner, r)
	if _, fields := r.Table(); usual[t] != "" && zeros(fields, t.Later) == t.Later {
		crc := len(values) - 1
		return usual[t], append(values[:crc-t.Later], values[crc])
	}
	return Update[t], values
}

func update(t *store.Table, keys, rest []string) string {
	set, where := "", ""
	for i, c := range rest {
		set += fmt.Sprintf(", %s = ?%d", c, len(keys)+i+1)
	}
	for i, c := range keys {
		where += fmt.Sprintf(" AND %s = ?%d", c, i+1)
	}
	return "UPDATE " + t.Name + " SET " + set[2:] + " WHERE " + where[5:]
}

// statements makes a statement for each table, of its keys and its other columns.
func statements(of func(t *store.Table, keys, rest []string) string) map[*store.Table]string {
	all := map[*store.Table]string{}
	for _, t := range slices.Concat(store.Tables...) {
		keys := []string{"owner"}
		if t.OfPath {
			keys = append(keys, "path")
		}
		if t.Key != "" {
			keys = append(keys, strings.Split(t.Key, ", ")...)
		}
		columns := Columns(t)
		if t.Content {
			columns += ", content"
		}
		rest := strings.Split(strings.TrimPrefix(columns, t.Key+", "), ", ")
		all[t] = of(t, keys, rest)
	}
	return all
}

// Columns are what [Fields.Read] reads of a table, but for the content.
func Columns(t *store.Table) string {
	if t == store.ChangeTable {
		return "revision, change, crc"
	}
	return t.Columns + ", crc"
}

// Select returns the query for rows of an owner, or of a path of his, whose columns end with
// last.
func Select(t *store.Table, last string) string {
	where := " WHERE owner = ?"
	if t.OfPath {
		where += " AND path = ?"
	}
	return "SELECT " + Columns(t) + last + " FROM " + t.Name + where
}

// Receipt selects the receipt of a version that is redacted; NULL: it is not.
const Receipt = ", CASE WHEN sha256 = zeroblob(32) THEN content END"

// RecordColumns are those of the records of the installation.
const RecordColumns = store.RecordColumns + ", crc"

// The queries for lists. Their arguments are the owner, the prefix, AfterPrefix of it, the
// path after which the list begins, and the limit. Those of DeletedFiles are the owner and the
// limit. AuthoredFiles has the current versions
// too. CurrentFiles has also their contents, unless one is longer than another argument
// before the others: SQLite then does not read it.
var (
	Files        = "SELECT " + store.Of("p", Columns(store.FileTable)) + " FROM files p" + listed
	DeletedFiles = "SELECT " + Columns(store.FileTable) + " FROM files WHERE owner = ? AND " + Restorable +
		" ORDER BY expires, path LIMIT ?"
	Logs          = "SELECT " + store.Of("p", Columns(store.LogTable)) + " FROM logs p" + listed
	AuthoredFiles = "SELECT " + withVersion + versionOf + listed
	CurrentFiles  = "SELECT " + withVersion + ", CASE WHEN octet_length(v.content) <= ? THEN v.content END" +
		versionOf + listed

	// KeptVersions has the arguments path and version, before which the list begins, in place of the path.
	KeptVersions = "SELECT " + withVersion + ", v.content FROM versions v JOIN files p ON p.owner = v.owner AND " +
		"p.path = v.path WHERE v.owner = ? AND v.path >= ? AND v.path < ? AND (v.path, v.version) < (?, ?) " +
		"ORDER BY v.path DESC, v.version DESC LIMIT ?"

	withVersion = store.Of("p", Columns(store.FileTable)) + ", " + store.Of("v", Columns(store.VersionTable))
)

const (
	listed = " WHERE p.owner = ? AND p.path >= ? AND p.path < ? AND p.path > ? AND p.deleted = 0 ORDER BY p.path " +
		"LIMIT ?"
	versionOf = " FROM files p LEFT JOIN versions v ON v.owner = p.owner AND v.path = p.path AND v.version = p.version"
)

// Restorable is true of the deleted files that retain versions, and Unused of other deleted
// files, in the words of their indexes.
const (
	Restorable = "expires > " + noExpiry
	Unused     = "deleted = 1 AND expires = " + noExpiry
)

// Forgotten select the deleted paths that retain nothing, the first deleted ones first. Their
// arguments are the owner and the limit.
var Forgotten = map[*store.Table]string{
	store.FileTable: "SELECT path FROM files WHERE owner = ? AND " + Unused + " ORDER BY updated, path LIMIT ?",
	store.LogTable:  "SELECT path FROM logs WHERE owner = ? AND deleted = 1 ORDER BY updated, path LIMIT ?",
}

// AfterPrefix returns a string that sorts after every path with the prefix and before all
// later paths. Paths are UTF-8, so none contains the byte 0xff, and SQLite compares the
// bytes.
func AfterPrefix(prefix string) string { return prefix + "\xff" }
