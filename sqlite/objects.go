package sqlite

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// object names a table, an index, a view or a trigger of a database.
type object struct{ kind, name string }

// objects are tables and indexes with their statements.
type objects map[object]string

// parseSchema returns the tables and indexes that the statements of a schema make, each with
// its statement.
func parseSchema(schema string) objects {
	all := objects{}
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

// plainSQL returns a statement without the parts that have no meaning: comments, quotes
// around names, line breaks, spaces beside brackets and commas, and the semicolon. A
// migrated database may differ from a new one in these.
func plainSQL(statement string) string {
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

// take removes an object that a database has. It returns [store.ErrCorrupt] if the
// object is not among them and is not one of SQLite's own, or if its statement says
// something else.
func (m objects) take(o object, table, sql string) error {
	if sql == "" && o.kind == "index" && strings.HasPrefix(o.name, "sqlite_autoindex_") {
		return nil // the index of a primary key
	}
	if o.kind == "table" && strings.HasPrefix(o.name, "sqlite_stat") {
		return nil // made by ANALYZE
	}
	want, known := m[o]
	switch {
	case !known:
		return store.Errorf(store.ErrCorrupt, "it contains the %s %q on %q, which is not scratchpad's; restore the "+
			"database from a backup, or drop what was added while no process uses the database", o.kind, o.name, table)
	case want != sql && plainSQL(want) != plainSQL(sql):
		return store.Errorf(store.ErrCorrupt, "its schema is not scratchpad's: the %s %s was changed; restore it "+
			"from a backup", o.kind, o.name)
	}
	delete(m, o)
	return nil
}

// rest returns [store.ErrCorrupt] if an object is left.
func (m objects) rest() error {
	for o := range m {
		return store.Errorf(store.ErrCorrupt, "its schema is damaged: the %s %s is missing; restore it from a backup",
			o.kind, o.name)
	}
	return nil
}
