package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // for database/sql

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// An answer is what a program printed for a command with --json.
type answer struct {
	Args []string `json:"args"`
	Code int      `json:"code"`
	Out  []any    `json:"out"` // a value for each line; of a long text, its SHA-256
}

// objects returns those that the program listed.
func (a answer) objects() (all []object) {
	for _, line := range a.Out {
		list, ok := line.([]any)
		if !ok {
			list = []any{line}
		}
		for _, o := range list {
			if o, ok := o.(object); ok {
				all = append(all, o)
			}
		}
	}
	return all
}

// names returns a field of each object.
func (a answer) names(field string) (names []string) {
	for _, o := range a.objects() {
		names = append(names, fmt.Sprint(o[field]))
	}
	return names
}

func parse(t *testing.T, out string) (lines []any) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var line any
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			return lines
		} else if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		lines = append(lines, shorten(line))
	}
}

func shorten(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > 200 {
			return fmt.Sprintf("%d bytes %x", len(v), sha256.Sum256([]byte(v)))
		}
	case []any:
		for i := range v {
			v[i] = shorten(v[i])
		}
	case object:
		for name := range v {
			v[name] = shorten(v[name])
		}
	}
	return v
}

// newFields are those of answers that came after a schema. A program before it did not have them.
var newFields = []string{"charged_bytes", "store_agents", "store_bytes", "max_agents", "max_total_bytes", "deleted_bytes", "other_authors"}

// withoutNew takes out of an answer what the past one could not say.
func withoutNew(past, now any) any {
	switch now := now.(type) {
	case []any:
		past, _ := past.([]any)
		for i := range min(len(past), len(now)) {
			now[i] = withoutNew(past[i], now[i])
		}
	case object:
		past, _ := past.(object)
		for name := range now {
			if was, ok := past[name]; ok {
				now[name] = withoutNew(was, now[name])
			} else if slices.Contains(newFields, name) {
				delete(now, name)
			}
		}
	}
	return now
}

// A kind is one of the kinds of databases that the program works with.
type kind struct {
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

// kinds are those of databases. A file of SQLite is kept as a file, because its pages are what
// users have. The log beside it is as a kill has left it. A database of PostgreSQL is kept as SQL.
// What the program of its day said of a database is in schemaN.json.gz beside both.
var kinds = map[string]kind{
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
func (k kind) stem(schema int64) string { return filepath.Join(k.folder, fmt.Sprint("schema", schema)) }

func (k kind) schema(t *testing.T, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(k.lines(t, name, k.version)[0], 10, 64)
	testkit.Must(t, err)
	return n
}

// opened opens and closes a database, as a server does that has nothing to do.
func (k kind) opened(t *testing.T, name string) {
	t.Helper()
	s, err := k.open(t.Context(), name)
	testkit.Must(t, err)
	testkit.Must(t, s.Close())
}

// today is the schema that this program writes.
func (k kind) today(t *testing.T) int64 {
	t.Helper()
	name := ""
	if k.driver == "pgx" {
		name = pgtest.URL(t)
	} else {
		name = filepath.Join(t.TempDir(), "new.db")
	}
	k.opened(t, name)
	return k.schema(t, name)
}

func runDriver(t *testing.T, driver, name, statements string) {
	t.Helper()
	db, err := sql.Open(driver, name)
	testkit.Must(t, err)
	defer db.Close()
	testkit.Must(t, testkit.Err(db.ExecContext(t.Context(), statements)))
}

// lines returns the one column of a query.
func (k kind) lines(t *testing.T, name, query string) (all []string) {
	t.Helper()
	db, err := sql.Open(k.driver, name)
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
func (k kind) rows(t *testing.T, name string, columns []string, instead map[string]string) (all []string) {
	t.Helper()
	tables := map[string]string{}
	for _, c := range columns {
		table, column, _ := strings.Cut(c, " ")
		value := cmp.Or(instead[c], column)
		tables[table] += fmt.Sprintf(" || ' %s=' || "+k.quoted, column, "("+value+")")
	}
	for table, line := range tables {
		for _, line := range k.lines(t, name, "SELECT '"+table+"'"+line+" FROM "+table) {
			if len(line) > 600 {
				line = fmt.Sprintf("%.600s... SHA-256 of all %x", line, sha256.Sum256([]byte(line)))
			}
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return all
}

// A database of each schema that ever was on main, made by the program of its day and filled with
// everything, is opened. Then each row holds what it held, nothing is damaged, and today's program
// answers as the one of the day did.
func TestPast(t *testing.T) {
	testkit.SkipInShort(t)
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			for from, today := int64(1), k.today(t); from <= today; from++ {
				if _, err := os.Stat(k.stem(from) + k.end); err == nil {
					t.Run(fmt.Sprint("Schema", from), func(t *testing.T) { testPast(t, k, from) })
				} else if from < today {
					t.Errorf("no database of schema %d is kept; CONTRIBUTING.md, Add a migration, says how to keep one", from)
				}
			}
		})
	}
}

func testPast(t *testing.T, k kind, from int64) {
	// To look into one makes the log a part of its file, so the other is opened.
	past, name := k.restore(t, k.stem(from)+k.end), k.restore(t, k.stem(from)+k.end)
	columns := k.lines(t, past, k.columns)
	before, want := k.rows(t, past, columns, nil), k.rows(t, past, columns, k.changed[from])
	k.opened(t, name)
	instead := map[string]string{}
	for column, value := range k.changed[from] {
		if value == "0" {
			instead[column] = value
		}
	}
	if diff := gocmp.Diff(want, k.rows(t, name, columns, instead)); diff != "" {
		t.Errorf("the rows of the database - and after the migration +:\n%s", diff)
	}
	dir, variables := t.TempDir(), []string{"SCRATCHPAD_DB=" + name}
	runCommand(t, dir, variables, "verify").must(t, 0)
	if k.driver == "sqlite" { // the servers of package pgtest have settings that doctor finds fault with
		runCommand(t, dir, variables, "doctor").must(t, 0)
	}
	k.wantAnswers(t, name, from)
	kept := fmt.Sprintf("%s-schema%d-backup", name, from)
	if k.driver == "pgx" || from == k.schema(t, name) {
		return // there is none
	}
	runCommand(t, dir, nil, "verify", "--db", kept).must(t, 0)
	if diff := gocmp.Diff(before, k.rows(t, kept, columns, nil)); diff != "" {
		t.Errorf("the rows of the database - and of the copy beside it +:\n%s", diff)
	}
}

// wantAnswers expects that today's program answers as the one of a schema did. Only the
// full run asks for everything.
func (k kind) wantAnswers(t *testing.T, name string, schema int64) {
	t.Helper()
	step := testkit.Pick(8, 3, 1)
	for i, was := range k.answers(t, schema) {
		if i%step != int(schema)%step {
			continue
		}
		o := runCommand(t, t.TempDir(), []string{"SCRATCHPAD_DB=" + name}, was.Args...)
		now := answer{was.Args, o.code, parse(t, o.out)}
		withoutNew(was.Out, now.Out)
		if diff := gocmp.Diff(was, now); diff != "" {
			t.Errorf("the program of its day - and today's +:\n%s", diff)
		}
	}
}

// answers returns what the program of a schema said, as today's program counts: schema 1 in a file
// counted 200 bytes for each of the requests of agent keys.
func (k kind) answers(t *testing.T, schema int64) (all []answer) {
	t.Helper()
	testkit.Must(t, json.Unmarshal([]byte(testkit.Unpack(t, k.stem(schema)+".json.gz")), &all))
	for _, a := range all {
		for _, o := range a.objects() {
			if schema == 1 && k.driver == "sqlite" && o["agent_id"] == "keys" {
				o["total_bytes"] = o["total_bytes"].(float64) - 6*200
			}
		}
	}
	return all
}

// A database of a newer schema is refused with what to do, and no byte of it changes.
func TestNewerSchemaIsRefused(t *testing.T) {
	testkit.SkipInShort(t)
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			name, today := k.restore(t, k.stem(1)+k.end), k.today(t)
			k.opened(t, name)
			runDriver(t, k.driver, name, k.newer+strconv.FormatInt(today+1, 10))
			files := func() map[string]string { return nil }
			if k.driver == "sqlite" {
				files = func() map[string]string { return contents(t, filepath.Dir(name)) }
			}
			columns := k.lines(t, name, k.columns)
			rows, before := k.rows(t, name, columns, nil), files()
			for _, args := range []string{"files ls", "logs append l one", "verify", "agents rm files --yes", "stats"} {
				o := runCommand(t, t.TempDir(), []string{"SCRATCHPAD_DB=" + name}, strings.Fields(args)...)
				o.must(t, failure.ExitDatabase, fmt.Sprint("knows ", today), "newer")
			}
			if diff := gocmp.Diff(before, files()) + gocmp.Diff(rows, k.rows(t, name, columns, nil)); diff != "" {
				t.Errorf("the database has changed, before - after +:\n%s", diff)
			}
		})
	}
}
