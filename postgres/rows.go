package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// selectOf returns the query for rows of an owner, or of a path of his, whose columns end
// with last.
func selectOf(t *store.Table, last string) string {
	where := " WHERE owner = $1"
	if t.OfPath {
		where += " AND path = $2"
	}
	return "SELECT " + t.Columns + last + " FROM " + t.Name + where
}

// withContent is the last column of a query for content.
const withContent = ", content"

// withReceipt is the last column of a query for the receipts of versions that are redacted;
// NULL: it is not.
const withReceipt = ", CASE WHEN sha256 = " + noHash + " THEN content END"

// noHash is the SHA-256 of what is redacted.
const noHash = "decode(repeat('00', 32), 'hex')"

// restorable is true of the deleted files that retain versions, in the words of their index.
const restorable = "expires > '-infinity'"

// readRow reads a row of an owner, with its content if that comes next. It reports false if
// a joined table has no row.
func readRow(row *wire.Fields, owner string, to store.Row) (there bool, err error) {
	t, fields := to.Table()
	if !row.Take(len(fields)) {
		return false, nil
	}
	err = row.Scan(fields...)
	if err == nil && t.Content && row.Len() > 0 {
		var content []byte
		if row.Scan(&content); !to.SetContent(content) {
			err = store.ErrCorrupt
		}
	}
	if err != nil {
		err = store.Errorf(store.ErrCorrupt, "the stored %s cannot be read", to.Name(owner))
	}
	return true, err
}

// rows returns a statement that reads rows of a table. begin begins anew, because a statement
// may run twice, and each gets every row.
func (r reader) rows(t *store.Table, path, query string, begin func(), each func(store.Row),
	args ...any) wire.Statement {
	keys := []any{r.owner}
	if t.OfPath {
		keys = append(keys, path)
	}
	return wire.Statement{SQL: query, Args: append(keys, args...), New: begin, Row: func(row *wire.Fields) error {
		one := t.New(path)
		_, err := readRow(row, r.owner, one)
		each(one)
		return err
	}}
}

// save are the statements that store a row of each table. An owner, a path, a summary or a
// request takes the place of the one before.
var save = func() map[*store.Table]string {
	all := map[*store.Table]string{}
	for _, t := range slices.Concat(store.Tables...) {
		keys := []string{"owner"}
		if t.OfPath {
			keys = append(keys, "path")
		}
		columns := strings.Split(t.Columns, ", ")
		if t.Content {
			columns = append(columns, "content")
		}
		if t == store.OwnerTable {
			columns = append(columns, "live")
		}
		columns = append(keys, columns...)
		var values, set []string
		for i, c := range columns {
			value := fmt.Sprintf("$%d", i+1)
			if c == "deleted" { // the time of the last write, or NULL
				value = fmt.Sprintf("CASE WHEN %s THEN $%d END", value, slices.Index(columns, "updated")+1)
			}
			values, set = append(values, value), append(set, c+" = excluded."+c)
		}
		all[t] = "INSERT INTO " + t.Name + " (" + strings.Join(columns, ", ") + ") VALUES (" +
			strings.Join(values, ", ") + ")"
		if t != store.VersionTable && t != store.EntryTable && t != store.ChangeTable {
			if t.Key != "" {
				keys = append(keys, t.Key)
			}
			all[t] += " ON CONFLICT (" + strings.Join(keys, ", ") + ") DO UPDATE SET " + strings.Join(set, ", ")
		}
	}
	return all
}()

// put returns the statement that stores a row.
func (t *tx) put(r store.Row) wire.Statement {
	table, fields := r.Table()
	args := []any{t.owner}
	if table.OfPath {
		args = append(args, r.Path)
	}
	for _, f := range fields {
		args = append(args, wire.Encode(f))
	}
	switch {
	case r.State != nil:
		t.saved = true
		args = append(args, r.State.Usage != store.Usage{})
	case r.Change != nil:
		t.grew = true
	case table.Content:
		args = append(args, r.Content())
	}
	return wire.Statement{SQL: save[table], Args: args}
}
