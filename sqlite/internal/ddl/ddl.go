// Package ddl reads the statements that make a schema.
package ddl

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Object names a table, an index, a view or a trigger of a database.
type Object struct{ Kind, Name string }

// Objects are tables and indexes with their statements.
type Objects map[Object]string

// Parse returns the tables and indexes that the statements of a schema make, each with
// its statement.
func Parse(schema string) Objects {
	all := Objects{}
	for _, statement := range strings.Split(schema, ";\n") {
		statement = strings.TrimSpace(statement)
		for strings.HasPrefix(statement, "--") {
			_, statement, _ = strings.Cut(statement, "\n")
			statement = strings.TrimSpace(statement)
		}
		head, _, _ := strings.Cut(statement, "(") // CREATE TABLE files; CREATE INDEX name ON files
		words := strings.Fields(strings.Replace(head, " UNIQUE ", " ", 1))
		if len(words) >= 3 && words[0] == "CREATE" {
			all[Object{strings.ToLower(words[1]), words[2]}] = strings.TrimRight(statement, "; \n")
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

// Take removes an object that a database has. It returns [store.ErrCorrupt] if the
// object is not among them and is not one of SQLite's own, or if its statement says
// something else.
func (m Objects) Take(o Object, table, sql string) error {
	if sql == "" && o.Kind == "index" && strings.HasPrefix(o.Name, "sqlite_autoindex_") {
		return nil // the index of a primary key
	}
	if o.Kind == "table" && strings.HasPrefix(o.Name, "sqlite_stat") {
		return nil // made by ANALYZE
	}
	want, known := m[o]
	switch {
	case !known:
		return foreign(o, table)
	case want != sql && plain(want) != plain(sql):
		return store.Errorf(store.ErrCorrupt, "its schema is not scratchpad's: the %s %s was changed; restore it "+
			"from a backup", o.Kind, o.Name)
	}
	delete(m, o)
	return nil
}

// Rest returns [store.ErrCorrupt] if an object is left.
func (m Objects) Rest() error {
	for o := range m {
		return store.Errorf(store.ErrCorrupt, "its schema is damaged: the %s %s is missing; restore it from a backup",
			o.Kind, o.Name)
	}
	return nil
}

// foreign is the error about an object that another program has added to the
// database.
func foreign(o Object, table string) error {
	what := fmt.Sprintf("the %s %q", o.Kind, o.Name)
	if table != o.Name {
		what += fmt.Sprintf(" on %q", table)
	}
	return store.Errorf(store.ErrCorrupt, "it contains %s, which is not scratchpad's; restore the database from a "+
		"backup, or drop what was added while no process uses the database", what)
}
