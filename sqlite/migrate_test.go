package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// eachPastSchema runs a test for each schema before the present one.
func eachPastSchema(t *testing.T, test func(t *testing.T, from int64)) {
	for from := int64(1); from < sqlite.SchemaVersion; from++ {
		t.Run(fmt.Sprint("Schema", from), func(t *testing.T) {
			t.Parallel()
			test(t, from)
		})
	}
}

// fixture copies a database of a past schema to a folder of the test. TestRecordPast of
// cmd/scratchpad has made it. TestPast there compares it with what the program of its day said.
func fixture(t testing.TB, schema int64) (path string) {
	t.Helper()
	return copyFixture(t, schema, "")
}

// logFixture copies the database with its log, which alone has its last writes.
func logFixture(t testing.TB, schema int64) (path string) {
	t.Helper()
	return copyFixture(t, schema, "", "-wal")
}

func copyFixture(t testing.TB, schema int64, ends ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "scratchpad.db")
	for _, end := range ends {
		data := testkit.Unpack(t, fmt.Sprintf("testdata/past/schema%d.db%s.gz", schema, end))
		testkit.Must(t, os.WriteFile(path+end, []byte(data), 0o600))
	}
	return path
}

// copyOf returns the name of the copy that a migration keeps.
func copyOf(path string, from int64) string { return fmt.Sprintf("%s-schema%d-backup", path, from) }

// A database of a past schema is migrated to the present one with everything in it. It
// reads the same before, after, and in the copy that is kept.
func TestMigration(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachPastSchema(t, testMigration)
}

func testMigration(t *testing.T, from int64) {
	path := fixture(t, from)
	want := pastDump(t, from)
	wantDump(t, path, from, want)
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
		t.Errorf("what is read after the migration, want - got +:\n%s", diff)
	}
	wantFirstRevisions(t, s, from)
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > 0 {
		t.Errorf("the log has %d bytes, %v, want none: the writer empties it only after a write", info.Size(), err)
	}
	testkit.Must(t, s.Close())
	wantDump(t, path, sqlite.SchemaVersion, want)
	wantDump(t, copyOf(path, from), from, want)
	if info, err := os.Stat(copyOf(path, from)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has the mode %v, %v, want 0600", info.Mode(), err)
	}

	s = open(t, path)
	ws := agent(t, newService(t, s), "files")
	if r, err := ws.WriteFile(t.Context(), "plan.md", []byte("next"), workspace.WriteOptions{}); err != nil || r.Version != 14 {
		t.Errorf("the next write = %+v, %v, want version 14", r, err)
	}
	if r, err := ws.WriteFile(t.Context(), "gone.md", nil, workspace.WriteOptions{}); err != nil || r.Version != 2 {
		t.Errorf("a write where a file was deleted = %+v, %v, want version 2", r, err)
	}
	if from < 3 {
		wantChanges(t, s, "files", 1, 2, 3)
	}
	back := agent(t, newService(t, s), "deleted")
	if r, err := back.WriteFile(t.Context(), "f.md", nil, workspace.WriteOptions{}); err != nil || r.Version != 8 {
		t.Errorf("a write of an agent that was deleted = %+v, %v, want version 8, above all it had", r, err)
	}
	if from < 3 {
		wantChanges(t, s, "deleted", 0, 1)
	}
	if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
		t.Errorf("Verify = %v, %v, want no problems", report.Problems, err)
	}
	wantOneCopy(t, path, from)

	// The schema has exactly the text of a new one.
	fresh := filepath.Join(t.TempDir(), "new.db")
	ours(t, fresh)
	if diff := cmp.Diff(schemaOf(t, fresh), schemaOf(t, path)); diff != "" {
		t.Errorf("the schema of a new database - of a migrated one +:\n%s", diff)
	}
}

// wantFirstRevisions expects that each agent that holds something has the revision 1,
// whose row is not kept, and that the others have none. A schema with a journal keeps its own.
func wantFirstRevisions(t *testing.T, s *sqlite.Store, from int64) {
	t.Helper()
	if from >= 3 {
		return
	}
	for name, want := range map[string]int64{"files": 1, "logs": 1, "keys": 1, "emptied": 1, "crowd-07": 1, "deleted": 0, "nobody": 0} {
		err := s.View(t.Context(), store.Owner{Tenant: "local", Agent: name}, func(r store.Reader) error {
			state, err := r.Owner()
			if err != nil || state.Revision != want || state.Changes != 0 {
				t.Errorf("%s has the revision %d and %d rows, %v, want %d and 0", name, state.Revision, state.Changes, err, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		wantChanges(t, s, name, 0)
	}
}

// wantChanges expects the revisions of the rows that a local agent's journal has after one.
func wantChanges(t *testing.T, s *sqlite.Store, name string, after int64, want ...int64) {
	t.Helper()
	got, err := changesOf(t, s, name, after, 100)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Changes(%d) of %s = %v, %v, want %v", after, name, got, err, want)
	}
}

// wantOneCopy expects that one copy of the database is kept, and no other file.
func wantOneCopy(t *testing.T, path string, from int64) {
	t.Helper()
	found, err := filepath.Glob(path + "-schema*-backup*")
	found = slices.DeleteFunc(found, func(name string) bool { // of having looked at it
		return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm")
	})
	if err != nil || len(found) != 1 || found[0] != copyOf(path, from) {
		t.Errorf("the copies are %v, %v, want one", found, err)
	}
}

// schemaOf returns the text of each table and index, sorted.
func schemaOf(t *testing.T, path string) (texts []string) {
	t.Helper()
	db := openSQL(t, path)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
	testkit.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var kind, name, table string
		var text sql.NullString
		testkit.Must(t, rows.Scan(&kind, &name, &table, &text))
		texts = append(texts, fmt.Sprint(kind, " ", name, " ", table, " ", text.String))
	}
	return texts
}

// pastUpserts are the statements with which the versions of each past schema save their
// owner's row. Each of their writes does.
var pastUpserts = map[int64]string{
	1: "INSERT INTO owners (owner, files, logs, entries, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, crc)" +
		" VALUES ('local/files', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)" +
		" ON CONFLICT (owner) DO UPDATE SET files = excluded.files, logs = excluded.logs, entries = excluded.entries, bytes = excluded.bytes," +
		" operations = excluded.operations, file_floor = excluded.file_floor, log_floor = excluded.log_floor," +
		" deleted_files = excluded.deleted_files, deleted_logs = excluded.deleted_logs, requests = excluded.requests, crc = excluded.crc",
	2: "INSERT INTO owners (owner, files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, updated, crc)" +
		" VALUES ('local/files', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)" +
		" ON CONFLICT (owner) DO UPDATE SET files = excluded.files, logs = excluded.logs, entries = excluded.entries, versions = excluded.versions," +
		" bytes = excluded.bytes, operations = excluded.operations, file_floor = excluded.file_floor, log_floor = excluded.log_floor," +
		" deleted_files = excluded.deleted_files, deleted_logs = excluded.deleted_logs, requests = excluded.requests," +
		" updated = excluded.updated, crc = excluded.crc",
}

// A process of a version with a past schema can store nothing in a migrated database. One of
// schema 3 reads the schema's number in each transaction, see [TestFence].
func TestOldProcessCannotWrite(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachPastSchema(t, func(t *testing.T, from int64) {
		path := fixture(t, from)
		if from < 3 {
			script(t, path, pastUpserts[from]) // as it does before
		}
		path = fixture(t, from)
		s := open(t, path)
		db := openSQL(t, path)
		defer db.Close()
		for past, upsert := range pastUpserts {
			if _, err := db.ExecContext(t.Context(), upsert); err == nil {
				t.Errorf("the statement of schema %d was taken, which leaves the new counters stale", past)
			}
		}
		if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
			t.Errorf("Verify = %v, %v, want no problems", report.Problems, err)
		}
	})
}

// "migrate DB STEP": opens a database, and ends as killed before a step.
var _ = register("migrate", func(args []string) error {
	sqlite.OnMigrationStep(func(step string) {
		if step == args[1] {
			tell("killed")
			os.Exit(0) // nothing is closed, as in a kill
		}
	})
	s, err := sqlite.Open(context.Background(), args[0], quiet)
	if err != nil {
		return err
	}
	tell("opened")
	return s.Close()
})

// A migration that is killed has happened as a whole or not at all, and the next one
// goes on. It uses the copy that is there.
func TestKilledMigration(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachPastSchema(t, func(t *testing.T, from int64) {
		want := pastDump(t, from)
		for i, step := range sqlite.MigrationSteps(from) {
			if !testkit.Long() && (i+int(from))%4 != 0 {
				continue
			}
			t.Run(strings.ReplaceAll(step, " ", ""), func(t *testing.T) {
				t.Parallel()
				testKilledMigration(t, from, step, want)
			})
		}
	})
}

func testKilledMigration(t *testing.T, from int64, step string, want []string) {
	path := fixture(t, from)
	for range 2 {
		migrated := step == "end" && schemaVersion(t, path) == sqlite.SchemaVersion
		c := startChild(t, "migrate", path, step)
		c.expect(t, map[bool]string{false: "killed", true: "opened"}[migrated])
		c.finish(t)
		schema := from
		if step == "end" {
			schema = sqlite.SchemaVersion
		}
		wantDump(t, path, schema, want)
	}
	s := open(t, path)
	if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
		t.Errorf("what is read in the end, want - got +:\n%s", diff)
	}
	wantFirstRevisions(t, s, from)
	wantDump(t, copyOf(path, from), from, want)
	wantOneCopy(t, path, from)
}

func schemaVersion(t testing.TB, path string) int64 {
	t.Helper()
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	info, err := s.Info(t.Context())
	testkit.Must(t, err)
	return info.Schema
}

// If several processes open the database at once, one migrates it, and the others find
// it migrated.
func TestMigrationAtOnce(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachPastSchema(t, testMigrationAtOnce)
}

func testMigrationAtOnce(t *testing.T, from int64) {
	path := logFixture(t, from)
	was := int64(mustCount(t, logFixture(t, from), "SELECT count(*) FROM owners"))
	children := startChildren(t, 4, "create")
	for _, c := range children {
		c.expect(t, "ready")
	}
	for _, c := range children {
		c.say(t, path)
	}
	for _, c := range children {
		c.expect(t, "created")
		c.finish(t)
	}
	wantOneCopy(t, path, from)
	s := open(t, path)
	for i := range children {
		expectFile(t, agent(t, newService(t, s), "create"), fmt.Sprint("of-", i), fmt.Sprint("of-", i))
	}
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	if want := was + 1; err != nil || report.Problems != nil || report.Owners != want {
		t.Errorf("Verify = %+v, %v, want %d owners without problems", report, err, want)
	}
}

// When the caller's context ends, Open returns, and the migration goes on without the
// caller.
func TestMigrationOutlivesItsCaller(t *testing.T) {
	path := fixture(t, 1)
	reached, goOn := make(chan bool), make(chan bool)
	sqlite.OnMigrationStep(func(step string) {
		if step == "version 2" {
			close(reached)
			<-goOn
		}
	})
	defer sqlite.OnMigrationStep(func(string) {})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-reached
		cancel(nil)
	}()
	if _, err := sqlite.Open(ctx, path, quiet); !errors.Is(err, context.Canceled) {
		t.Errorf("Open that is cancelled during a migration = %v, want context.Canceled", err)
	}
	wait, cancelWait := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancelWait()
	if _, err := sqlite.Open(wait, path, quiet); !errors.Is(err, store.ErrBusy) {
		t.Errorf("Open beside it = %v, want ErrBusy", err)
	}
	close(goOn)
	s := open(t, path)
	if info, err := s.Info(t.Context()); err != nil || info.Schema != sqlite.SchemaVersion {
		t.Errorf("Info = %+v, %v, want the present schema", info, err)
	}
}

// No file is overwritten: if the name of the copy is taken, it gets the next name.
func TestMigrationCopyNames(t *testing.T) {
	t.Parallel()
	path := fixture(t, 1)
	testkit.Must(t, os.WriteFile(path+"-schema1-backup", []byte("of the user"), 0o600))
	testkit.Must(t, os.Mkdir(path+"-schema1-backup-2", 0o700))
	testkit.Must(t, os.WriteFile(path+"-schema1-backup-3-wal", []byte("of another database"), 0o600))
	testkit.Must(t, os.WriteFile(path+"-schema1-backup-new-123-part", []byte("half a copy"), 0o600))
	open(t, path)
	if got := string(readBytes(t, path+"-schema1-backup")); got != "of the user" {
		t.Errorf("the user's file holds %q", got)
	}
	wantDump(t, path+"-schema1-backup-4", 1, pastDump(t, 1))
	if _, err := os.Stat(path + "-schema1-backup-new-123-part"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a copy of a killed process is still there: %v", err)
	}
}

// Damaged content and counters are migrated as they are, and still found. A damaged
// structure is refused, and no byte changes.
func TestMigrationOfDamage(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachPastSchema(t, testMigrationOfDamage)
}

func testMigrationOfDamage(t *testing.T, from int64) {
	path := fixture(t, from)
	script(t, path,
		"UPDATE versions SET content = x'00' WHERE owner = 'local/crowd-07'",
		"UPDATE owners SET bytes = bytes + 1 WHERE owner = 'local/crowd-08'",
		"PRAGMA ignore_check_constraints = ON", // the next schema would refuse this row
		"UPDATE owners SET logs = -5 WHERE owner = 'local/crowd-09'")
	s := open(t, path)
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	if all := strings.Join(report.Problems, "\n"); err != nil || !strings.Contains(all, "crowd-07") || !strings.Contains(all, "usage of local/crowd-09") {
		t.Fatalf("Verify = %+v, %v, want the damage found", report, err)
	}
	for _, text := range report.Problems {
		// A migration from schema 3 leaves the table owners, with the row, as it is.
		if !slices.ContainsFunc([]string{"crowd-07", "crowd-08", "crowd-09", "CHECK constraint failed in owners"}, func(name string) bool { return strings.Contains(text, name) }) {
			t.Errorf("Verify finds %q, which is not damaged", text)
		}
	}
	if _, err := agent(t, newService(t, s), "crowd-08").WriteFile(t.Context(), "f.md", nil, workspace.WriteOptions{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a write on damaged counters = %v, want ErrCorrupt", err)
	}

	path = fixture(t, from)
	script(t, path, "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'logs_deleted') WHERE name = 'files_deleted'")
	before := readBytes(t, path)
	if s, err := sqlite.Open(t.Context(), path, quiet); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Open of a damaged structure = %v, %v, want ErrCorrupt", s, err)
	}
	if string(readBytes(t, path)) != string(before) {
		t.Error("the damaged database was changed")
	}
}

// wantDump expects that a database has the schema, reads as wanted, has no damage, and
// does not change meanwhile.
func wantDump(t testing.TB, path string, schema int64, want []string) {
	t.Helper()
	before := readBytes(t, path)
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	if info, err := s.Info(t.Context()); err != nil || info.Schema != schema {
		t.Errorf("%s: Info = %+v, %v, want schema %d", path, info, err, schema)
	}
	if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
		t.Errorf("%s at schema %d, want - got +:\n%s", path, schema, diff)
	}
	if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
		t.Errorf("%s: Verify = %v, %v, want no problems", path, report.Problems, err)
	}
	if problems, err := s.Check(t.Context()); err != nil || problems != nil {
		t.Errorf("%s: Check = %v, %v, want no problems", path, problems, err)
	}
	if string(readBytes(t, path)) != string(before) {
		t.Errorf("%s was changed by reading it", path)
	}
}

// pastDump returns what a database of a past schema holds before its migration.
func pastDump(t testing.TB, schema int64) []string {
	t.Helper()
	s, err := sqlite.OpenReadOnly(t.Context(), fixture(t, schema), quiet)
	testkit.Must(t, err)
	defer s.Close()
	return dumpStore(t, s)
}

// dumpStore returns all that a store holds, each row as a line.
func dumpStore(t testing.TB, s *sqlite.Store) (all []string) {
	t.Helper()
	owners, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.AllOwners, Limit: 1000})
	testkit.Must(t, err)
	line := func(of string, row any) error {
		text, err := json.Marshal(row)
		all = append(all, of+" "+string(text))
		return err
	}
	for _, o := range owners.Owners {
		testkit.Must(t, s.Dump(t.Context(), o.Owner, func(r store.Row) error { return line(o.Owner.String(), r) }))
	}
	records, err := s.System(t.Context()).List("", "", 1000)
	testkit.Must(t, err)
	for _, r := range records {
		testkit.Must(t, line("record", r))
	}
	return all
}
