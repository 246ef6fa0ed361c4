package sqlite

import (
	"cmp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
)

// conn is one connection to a database of this package. It is not safe for concurrent use.
type conn struct {
	*engine.DB
	schema int64          // of the database; reading an older one differs
	still  bool           // opened with engine.ModeStill, for one transaction
	files  *dbfile.Opened // nil except for the connection that writes
}

// dial opens a connection. Each pragma has the form "name(value)".
func dial(path, mode string, pragmas ...string) (*conn, error) {
	c, err := engine.Open(path, mode, pragmas...)
	if err != nil {
		return nil, err
	}
	return &conn{DB: c, schema: schemaVersion}, nil
}

// dialRead opens a connection that changes nothing. To read, SQLite must make a -wal and
// a -shm. If it cannot, because this user may not write in the folder, and there is no log
// to read, the database is opened with engine.ModeStill.
//
// The file may be somebody else's, or damaged. So its schema may call no function that could do
// harm, and SQLite looks at the cells of each page before it uses them.
func dialRead(path string, pragmas ...string) (*conn, error) {
	pragmas = append([]string{"trusted_schema(OFF)", "cell_size_check(ON)"}, pragmas...)
	var first error
	for _, mode := range []string{"ro", engine.ModeStill} {
		c, err := dial(path, mode, pragmas...)
		if err == nil {
			if err = c.Pragma("schema_version"); err == nil {
				c.still = mode == engine.ModeStill
				return c, nil
			}
			c.close()
		}
		first = cmp.Or(first, err)
		if code := engine.CodeOf(err) & 0xff; code != engine.CodeReadOnly && code != engine.CodeCantOpen ||
			!dbfile.IsWhole(path) {
			break
		}
	}
	return nil, first
}

func (c *conn) close() error {
	if c.files != nil {
		c.files.Close() // first: Windows removes no file that is open
	}
	return c.Close()
}

const (
	journalSchema = 3 // the first schema with a journal of changes
	projectSchema = 4 // the first one whose versions have a project
	restoreSchema = 5 // the first one whose deleted files retain versions
)

// pasts put into a query, for the schemas before one, what stands for a table of that schema.
var pasts = []struct {
	before int64
	table  *strings.Replacer
}{
	{journalSchema, strings.NewReplacer("FROM changes ",
		"FROM (SELECT '' AS owner, 0 AS revision, x'' AS change, 0 AS crc WHERE false) ")},
	{projectSchema, inPlaceOf("versions", "'' AS project")},
	{restoreSchema, inPlaceOf("files", "-1 << 63 AS expires, x'' AS past")},
}

func inPlaceOf(table, columns string) *strings.Replacer {
	with := "(SELECT *, " + columns + " FROM " + table + ") "
	return strings.NewReplacer("FROM "+table+" ", "FROM "+with, "JOIN "+table+" ", "JOIN "+with)
}

// One is [engine.DB.One], for a database of any schema.
func (c *conn) One(fn func(*row.Fields) error, query string, args ...any) (bool, error) {
	return c.DB.One(fn, c.ofSchema(query), args...)
}

// Each is [engine.DB.Each], for a database of any schema.
func (c *conn) Each(fn func(*row.Fields) error, query string, args ...any) error {
	return c.DB.Each(fn, c.ofSchema(query), args...)
}

func (c *conn) ofSchema(query string) string {
	for _, past := range pasts {
		if c.schema < past.before {
			query = past.table.Replace(query)
		}
	}
	return query
}

// owners returns how the rows of owners are read in the connection's database.
func (c *conn) owners() *row.OwnerForm { return row.OwnerFormOf(c.schema) }
