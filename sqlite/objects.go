package sqlite

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// object names a table, an index, a view or a trigger of a database.
type object struct{ kind, name string }

// objects returns the tables and indexes that the statements of a schema make, each with
// its statement.
func objects(schema string) map[object]string {
	all := map[object]string{}
	for _, statement := range strings.Split(schema, ";\n") {
		statement = strings.TrimSpace(statement)
		for strings.HasPrefix(statement, "--") {
			_, statement, _ = strings.Cut(statement, "\n")
			statement = strings.TrimSpace(statement)
		}
		head, _, _ := strings.Cut(statement, "(") // CREATE TABLE files; CREATE INDEX name ON files
		words := strings.Fields(strings.Replace(head, " UNIQUE ", " ", 1))
		if len(words) >= 3 && words[0] == "CREATE" {
			all[object{strings.ToLower(words[1]), words[2]}] = strings.TrimRight(statement, "; \n")
		}
	}
	return all
}

// plain returns a statement without the parts that have no meaning: comments, quotes
// around names, line breaks, spaces beside brackets and commas, and the semicolon. A
// migrated database may differ from a new one in these.
func plain(statement string) string {
	var b strings.Builder
	for line := range strings.Lines(statement) {
		line, _, _ = strings.Cut(line, "--")
		b.WriteString(strings.ReplaceAll(line, `"`, "") + " ")
	}
	s := strings.Join(strings.Fields(strings.TrimRight(b.String(), "; \n")), " ")
	for _, mark := range []string{"(", ")", ","} {
		s = strings.ReplaceAll(strings.ReplaceAll(s, " "+mark, mark), mark+" ", mark)
	}
	return s
}

// checkSchema refuses a database whose tables and indexes are not those of its schema.
func (c *conn) checkSchema() error {
	version, err := c.userVersion()
	if err != nil {
		return err
	}
	return c.checkObjects(schemaText(version))
}

// checkObjects refuses a database whose tables and indexes are not those of the schema, or
// that contains more than these and SQLite's own. Another program's trigger or view would
// change what is stored or read, and its index or constraint what may be stored.
func (c *conn) checkObjects(schema string) error {
	missing := objects(schema)
	err := c.each(func(f *row.Fields) error {
		o, table, sql := object{f.Text(), f.Text()}, f.Text(), f.Text()
		if f.Bad {
			return workspace.Errorf(workspace.ErrCorrupt, "its schema cannot be read; restore it from a backup")
		}
		if sql == "" && o.kind == "index" && strings.HasPrefix(o.name, "sqlite_autoindex_") {
			return nil // the index of a primary key
		}
		if o.kind == "table" && strings.HasPrefix(o.name, "sqlite_stat") {
			return nil // made by ANALYZE
		}
		want, known := missing[o]
		switch {
		case !known:
			return foreignObject(o, table)
		case want != sql && plain(want) != plain(sql):
			return workspace.Errorf(workspace.ErrCorrupt, "its schema is not scratchpad's: the %s %s was changed; restore it from a backup", o.kind, o.name)
		}
		delete(missing, o)
		return nil
	}, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
	if err != nil {
		return err
	}
	for o := range missing {
		return workspace.Errorf(workspace.ErrCorrupt, "its schema is damaged: the %s %s is missing; restore it from a backup", o.kind, o.name)
	}
	return nil
}

// foreignObject is the error about an object that another program has added to the
// database.
func foreignObject(o object, table string) error {
	what := fmt.Sprintf("the %s %q", o.kind, o.name)
	if table != o.name {
		what += fmt.Sprintf(" on %q", table)
	}
	return workspace.Errorf(workspace.ErrCorrupt, "it contains %s, which is not scratchpad's; restore the database from a backup, or drop what was added while no process uses the database", what)
}
