package sqlite_test

import (
	"context"
	"crypto/sha256"
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

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// fixture copies a database of testdata/schema1, and its log if it has one, to a folder
// of the test.
func fixture(t testing.TB, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "scratchpad.db")
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join("testdata", "schema1", name+end))
		if errors.Is(err, os.ErrNotExist) && end != "" {
			continue
		}
		if err == nil {
			err = os.WriteFile(path+end, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// A database of schema 1 is migrated to schema 2 with everything in it. It reads the
// same before, after, and in the copy that is kept.
func TestMigration(t *testing.T) {
	t.Parallel()
	path := fixture(t, "schema1.db")
	want := goldenDump(t)
	wantDump(t, path, 1, want)
	s, err := sqlite.Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
		t.Errorf("what is read after the migration, want - got +:\n%s", diff)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantDump(t, path, 2, want)
	copied := path + "-schema1-backup"
	wantDump(t, copied, 1, want)
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
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
	back := agent(t, newService(t, s), "deleted")
	if r, err := back.WriteFile(t.Context(), "f.md", nil, workspace.WriteOptions{}); err != nil || r.Version != 8 {
		t.Errorf("a write of an agent that was deleted = %+v, %v, want version 8, above all it had", r, err)
	}
	if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
		t.Errorf("Verify = %v, %v, want no problems", report.Problems, err)
	}
	wantOneCopy(t, path)
}

// wantOneCopy expects that one copy of the database is kept, and no other file.
func wantOneCopy(t *testing.T, path string) {
	t.Helper()
	found, err := filepath.Glob(path + "-schema1-backup*")
	found = slices.DeleteFunc(found, func(name string) bool { // of having looked at it
		return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm")
	})
	if err != nil || len(found) != 1 || found[0] != path+"-schema1-backup" {
		t.Errorf("the copies are %v, %v, want one", found, err)
	}
}

// Writes that are in the log alone are migrated and copied too.
func TestMigrationOfALog(t *testing.T) {
	t.Parallel()
	path := fixture(t, "schema1-log.db")
	ws := agent(t, newService(t, open(t, path)), "unfolded")
	expectFile(t, ws, "notes.md", "a note\n")
	copied, err := sqlite.OpenReadOnly(t.Context(), path+"-schema1-backup", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	ws = agent(t, newService(t, copied), "unfolded")
	expectFile(t, ws, "notes.md", "a note\n")
	if page, err := ws.ReadLog(t.Context(), "journal", workspace.ReadLogOptions{}); err != nil || page.Total != 2 {
		t.Errorf("the log in the copy = %+v, %v, want 2 entries", page, err)
	}
}

// The schema of a migrated database has exactly the text of a new one.
func TestMigratedSchema(t *testing.T) {
	t.Parallel()
	path := fixture(t, "schema1.db")
	ours(t, path) // writes too
	fresh := filepath.Join(t.TempDir(), "new.db")
	ours(t, fresh)
	if diff := cmp.Diff(schemaOf(t, fresh), schemaOf(t, path)); diff != "" {
		t.Errorf("the schema of a new database - of a migrated one +:\n%s", diff)
	}
}

// schemaOf returns the text of each table and index, sorted.
func schemaOf(t *testing.T, path string) (texts []string) {
	t.Helper()
	db := openSQL(t, path)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, name, table string
		var text sql.NullString
		if err := rows.Scan(&kind, &name, &table, &text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, fmt.Sprint(kind, " ", name, " ", table, " ", text.String))
	}
	return texts
}

// A process of a version with schema 1 can store nothing in a migrated database: each
// of its writes saves its owner's row with this statement.
func TestOldProcessCannotWrite(t *testing.T) {
	t.Parallel()
	const upsertOwner1 = "INSERT INTO owners (owner, files, logs, entries, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, crc)" +
		" VALUES ('local/files', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)" +
		" ON CONFLICT (owner) DO UPDATE SET files = excluded.files, logs = excluded.logs, entries = excluded.entries, bytes = excluded.bytes," +
		" operations = excluded.operations, file_floor = excluded.file_floor, log_floor = excluded.log_floor," +
		" deleted_files = excluded.deleted_files, deleted_logs = excluded.deleted_logs, requests = excluded.requests, crc = excluded.crc"
	path := fixture(t, "schema1.db")
	script(t, path, upsertOwner1) // as it does before
	path = fixture(t, "schema1.db")
	s := open(t, path)
	db := openSQL(t, path)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), upsertOwner1); err == nil {
		t.Error("the statement of schema 1 was taken, which leaves the new counters stale")
	}
	if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
		t.Errorf("Verify = %v, %v, want no problems", report.Problems, err)
	}
}

// "migrate DB STEP": opens a database, and ends as killed before a step.
var _ = register("migrate", func(args []string) error {
	sqlite.OnMigrationStep(func(step string) {
		if step == args[1] {
			tell("killed")
			os.Exit(0) // nothing is closed or folded, as in a kill
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
	t.Parallel()
	want := goldenDump(t)
	for _, step := range sqlite.MigrationSteps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			path := fixture(t, "schema1.db")
			for range 2 {
				c := startChild(t, "migrate", path, step)
				c.expect(t, map[bool]string{false: "killed", true: "opened"}[step == "end" && schemaVersion(t, path) == 2])
				c.finish(t)
				schema := int64(1)
				if step == "end" {
					schema = 2
				}
				wantDump(t, path, schema, want)
			}
			s := open(t, path)
			if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
				t.Errorf("what is read in the end, want - got +:\n%s", diff)
			}
			wantDump(t, path+"-schema1-backup", 1, want)
			wantOneCopy(t, path)
		})
	}
}

func schemaVersion(t testing.TB, path string) int64 {
	t.Helper()
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.Schema
}

// If several processes open the database at once, one migrates it, and the others find
// it migrated.
func TestMigrationAtOnce(t *testing.T) {
	t.Parallel()
	path := fixture(t, "schema1-log.db")
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
	wantOneCopy(t, path)
	s := open(t, path)
	for i := range children {
		expectFile(t, agent(t, newService(t, s), "create"), fmt.Sprint("of-", i), fmt.Sprint("of-", i))
	}
	if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil || report.Owners != 2 {
		t.Errorf("Verify = %+v, %v, want 2 owners without problems", report, err)
	}
}

// When the caller's context ends, Open returns, and the migration goes on without the
// caller.
func TestMigrationOutlivesItsCaller(t *testing.T) {
	path := fixture(t, "schema1.db")
	reached, goOn := make(chan bool), make(chan bool)
	sqlite.OnMigrationStep(func(step string) {
		if step == "version" {
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
	if _, err := sqlite.Open(wait, path, quiet); !errors.Is(err, workspace.ErrBusy) {
		t.Errorf("Open beside it = %v, want ErrBusy", err)
	}
	close(goOn)
	s := open(t, path)
	if info, err := s.Info(t.Context()); err != nil || info.Schema != 2 {
		t.Errorf("Info = %+v, %v, want schema 2", info, err)
	}
}

// No file is overwritten: if the name of the copy is taken, it gets the next name.
func TestMigrationCopyNames(t *testing.T) {
	t.Parallel()
	path := fixture(t, "schema1.db")
	if err := os.WriteFile(path+"-schema1-backup", []byte("of the user"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+"-schema1-backup-2", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-schema1-backup-new-123-part", []byte("half a copy"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	if got := string(readBytes(t, path+"-schema1-backup")); got != "of the user" {
		t.Errorf("the user's file holds %q", got)
	}
	wantDump(t, path+"-schema1-backup-3", 1, goldenDump(t))
	if _, err := os.Stat(path + "-schema1-backup-new-123-part"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a copy of a killed process is still there: %v", err)
	}
}

// Damaged content and counters are migrated as they are, and still found. A damaged
// structure is refused, and no byte changes.
func TestMigrationOfDamage(t *testing.T) {
	t.Parallel()
	path := fixture(t, "schema1.db")
	script(t, path,
		"UPDATE versions SET content = x'00' WHERE owner = 'local/crowd-07'",
		"UPDATE owners SET bytes = bytes + 1 WHERE owner = 'local/crowd-08'")
	s := open(t, path)
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	if err != nil || len(report.Problems) == 0 {
		t.Fatalf("Verify = %+v, %v, want the damage found", report, err)
	}
	for _, text := range report.Problems {
		if !strings.Contains(text, "crowd-07") && !strings.Contains(text, "crowd-08") {
			t.Errorf("Verify finds %q, which is not damaged", text)
		}
	}
	if _, err := agent(t, newService(t, s), "crowd-08").WriteFile(t.Context(), "f.md", nil, workspace.WriteOptions{}); !errors.Is(err, workspace.ErrCorrupt) {
		t.Errorf("a write on damaged counters = %v, want ErrCorrupt", err)
	}

	path = fixture(t, "schema1.db")
	script(t, path, "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'logs_deleted') WHERE name = 'files_deleted'")
	before := readBytes(t, path)
	if s, err := sqlite.Open(t.Context(), path, quiet); !errors.Is(err, workspace.ErrCorrupt) {
		t.Errorf("Open of a damaged structure = %v, %v, want ErrCorrupt", s, err)
	}
	if string(readBytes(t, path)) != string(before) {
		t.Error("the damaged database was changed")
	}
}

// wantDump expects that a database has the schema, reads as wanted, has no damage, and
// does not change meanwhile.
func wantDump(t testing.TB, path string, schema int64, want map[string]any) {
	t.Helper()
	before := readBytes(t, path)
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
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

// goldenDump returns what the code that made the fixture has read from it, with the
// bytes as they are counted now: without 200 for each request.
func goldenDump(t testing.TB) map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/schema1/schema1.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	keys := all["local/keys"].(map[string]any)["Usage"].(map[string]any)
	if keys["Requests"] != 6.0 {
		t.Fatalf("the fixture has %v requests, want 6", keys["Requests"])
	}
	keys["Bytes"] = keys["Bytes"].(float64) - 6*200
	for _, o := range all["owners of local"].([]any) {
		if u := o.(map[string]any)["Usage"].(map[string]any); o.(map[string]any)["Owner"].(map[string]any)["Agent"] == "keys" {
			u["Bytes"] = u["Bytes"].(float64) - 6*200
		}
	}
	return all
}

// dumpStore does what dump of testdata/schema1/main.go does, and returns it as JSON has
// it, without the fields that schema 1 did not have.
func dumpStore(t testing.TB, store workspace.Store) (all map[string]any) {
	t.Helper()
	dumped := map[string]any{}
	for _, o := range []workspace.Owner{
		{Tenant: "local", Agent: "files"}, {Tenant: "local", Agent: "logs"}, {Tenant: "local", Agent: "keys"},
		{Tenant: "local", Agent: "deleted"}, {Tenant: "local", Agent: "emptied"}, {Tenant: "local", Agent: "crowd-07"},
		{Tenant: "other", Agent: "files"}, {Tenant: "local", Agent: "nobody"},
	} {
		if err := store.View(t.Context(), o, func(r workspace.Reader) (err error) {
			dumped[o.String()], err = dumpOwner(r)
			return err
		}); err != nil {
			t.Fatalf("reading %s: %v", o, err)
		}
	}
	for _, tenant := range []string{"local", "other"} {
		owners, err := store.Owners(t.Context(), workspace.OwnersQuery{Tenant: tenant, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		dumped["owners of "+tenant] = owners
	}
	records, err := store.System(t.Context()).List("", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		dumped["record "+r.Key] = string(r.Value)
	}
	text, err := json.Marshal(dumped)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range all {
		if o, ok := part.(map[string]any); ok {
			delete(o["Usage"].(map[string]any), "Versions")
			delete(o["Usage"].(map[string]any), "Updated")
		}
	}
	return all
}

type dumpedPath struct {
	Head    any
	Content []string
}

func dumpOwner(r workspace.Reader) (has map[string]any, err error) {
	state, err := r.Owner()
	files, logs, requests := map[string]dumpedPath{}, map[string]dumpedPath{}, map[string]workspace.Outcome{}
	for _, path := range []string{"plan.md", "empty", "dir/awkward.txt", "back.md", "gone.md", "long.md", "f.md"} {
		head, _, e := r.File(path)
		versions, e2 := r.Versions(path)
		err = errors.Join(err, e, e2)
		f := dumpedPath{Head: head}
		for _, v := range versions {
			v, e := r.Version(path, v.Number)
			err = errors.Join(err, e)
			f.Content = append(f.Content, dumpLine(v.Number, v.Time, v.Author, v.Content))
		}
		if s, e := r.Summary(path, workspace.SummaryKey{Version: head.Version, Method: "outline", Prompt: "1"}); e == nil {
			f.Content = append(f.Content, dumpLine(s.Tokens, s.Time, workspace.Author{}, s.Content))
		}
		files[path] = f
	}
	for _, path := range []string{"day", "batch", "again", "gone", "l"} {
		head, _, e := r.Log(path)
		entries, e2 := r.Entries(path, workspace.EntryQuery{})
		err = errors.Join(err, e, e2)
		l := dumpedPath{Head: head}
		for _, en := range entries {
			l.Content = append(l.Content, dumpLine(en.ID, en.Time, en.Author, en.Content))
		}
		logs[path] = l
	}
	for _, key := range []string{"key-0", "key-1", "key-2", "key-3", "key-4", "key-log"} {
		if q, e := r.Request(key); e == nil {
			requests[key] = q.Outcome
		}
	}
	return map[string]any{"Usage": state, "Files": files, "Logs": logs, "Requests": requests}, err
}

func dumpLine(n int64, at time.Time, a workspace.Author, content []byte) string {
	return fmt.Sprintf("%d %s %s/%s/%s %x", n, at.Format(time.RFC3339Nano), a.Client, a.Version, a.Key, sha256.Sum256(content))
}
