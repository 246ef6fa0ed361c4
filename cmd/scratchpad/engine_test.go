package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // for database/sql

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// An engine keeps databases: SQLite in a file, or PostgreSQL.
type engine struct {
	folder  string // of the databases that TestRecordPast has kept
	end     string // of their names, after schemaN
	driver  string // of package database/sql
	restore func(t *testing.T, packed string) (name string)
	open    func(ctx context.Context, name string) (io.Closer, error)
	version string // a query for the schema
	newer   string // a statement that sets the schema to one that it ends with
	columns string // a query for all columns, as "TABLE COLUMN"
	quoted  string // the form of a column in a line

	// changed are the columns that a migration changes, by the schema that it comes from, and what
	// they must hold then. A column that the test does not look at is to hold 0.
	changed map[int64]map[string]string
}

// engines are both. A file of SQLite is kept as a file, because its pages are what
// users have. The log beside it is as a kill has left it. A database of PostgreSQL is kept as SQL.
// What the program of its day said of a database is in schemaN.json.gz beside both.
var engines = map[string]engine{
	"File": {
		folder: "../../sqlite/testdata/past", end: ".db.gz", driver: "sqlite",
		restore: func(t *testing.T, packed string) string {
			path := filepath.Join(t.TempDir(), "scratchpad.db")
			for _, end := range []string{"", "-wal"} {
				content := testkit.Unpack(t, strings.TrimSuffix(packed, ".gz")+end+".gz")
				testkit.Must(t, os.WriteFile(path+end, []byte(content), 0o600))
			}
			return path
		},
		open: func(ctx context.Context, path string) (io.Closer, error) {
			return sqlite.Open(ctx, path, sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
		},
		version: "PRAGMA user_version", newer: "PRAGMA user_version = ",
		columns: "SELECT m.name || ' ' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
		quoted:  "quote(%s)",
		changed: map[int64]map[string]string{
			1: {"owners crc": "0", "owners bytes": "bytes - 200 * requests"}, // requests are counted alone now
			2: {"owners crc": "0"},
		},
	},
	"PostgreSQL": {
		folder: "../../postgres/testdata/past", end: ".sql.gz", driver: "pgx",
		restore: func(t *testing.T, packed string) string {
			url := pgtest.URL(t)
			runDriver(t, "pgx", url+"&default_query_exec_mode=simple_protocol", testkit.Unpack(t, packed))
			return url
		},
		open: func(ctx context.Context, url string) (io.Closer, error) {
			return postgres.Open(ctx, url, postgres.Options{Logger: slog.New(slog.DiscardHandler)})
		},
		version: "SELECT version::text FROM schema_version", newer: "UPDATE schema_version SET version = ",
		columns: "SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'public' " +
			"AND table_name <> 'schema_version'",
		quoted: "quote_nullable(%s::text)",
	},
}

// stem is the beginning of the names of what is kept of a schema.
func (e engine) stem(schema int64) string {
	return filepath.Join(e.folder, fmt.Sprint("schema", schema))
}

func (e engine) schema(t *testing.T, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(e.lines(t, name, e.version)[0], 10, 64)
	testkit.Must(t, err)
	return n
}

// opened opens and closes a database, as a server does that has nothing to do.
func (e engine) opened(t *testing.T, name string) {
	t.Helper()
	s, err := e.open(t.Context(), name)
	testkit.Must(t, err)
	testkit.Must(t, s.Close())
}

// today is the schema that this program writes.
func (e engine) today(t *testing.T) int64 {
	t.Helper()
	name := ""
	if e.driver == "pgx" {
		name = pgtest.URL(t)
	} else {
		name = filepath.Join(t.TempDir(), "new.db")
	}
	e.opened(t, name)
	return e.schema(t, name)
}

func runDriver(t *testing.T, driver, name, statements string) {
	t.Helper()
	db, err := sql.Open(driver, name)
	testkit.Must(t, err)
	defer db.Close()
	testkit.Must(t, testkit.Err(db.ExecContext(t.Context(), statements)))
}

// lines returns the one column of a query.
func (e engine) lines(t *testing.T, name, query string) (all []string) {
	t.Helper()
	db, err := sql.Open(e.driver, name)
	testkit.Must(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	testkit.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		testkit.Must(t, rows.Scan(&line))
		all = append(all, line)
	}
	testkit.Must(t, rows.Err())
	return all
}

// rows returns all rows of the tables with the columns, each as a line. instead has what is asked
// for in the place of a column.
func (e engine) rows(t *testing.T, name string, columns []string, instead map[string]string) (all []string) {
	t.Helper()
	tables := map[string]string{}
	for _, c := range columns {
		table, column, _ := strings.Cut(c, " ")
		value := cmp.Or(instead[c], column)
		tables[table] += fmt.Sprintf(" || ' %s=' || "+e.quoted, column, "("+value+")")
	}
	for table, line := range tables {
		for _, line := range e.lines(t, name, "SELECT '"+table+"'"+line+" FROM "+table) {
			if len(line) > 600 {
				line = fmt.Sprintf("%.600s... SHA-256 of all %x", line, sha256.Sum256([]byte(line)))
			}
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return all
}
