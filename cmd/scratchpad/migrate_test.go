package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMigrate(t *testing.T) {
	dir, _ := newDatabase(t)
	runCommand(t, dir, nil, "keys", "create", "--agents", "*", "--db", "test.db").must(t, 0)
	before := contents(t, dir)
	runCommand(t, dir, nil, "migrate", "--from", "test.db", "--to", "there.db").must(t, 0, filepath.Join(dir, "there.db")+"  2 agents, 6 versions, 4 entries, 192 B, verified, in ")
	o := runCommand(t, dir, nil, "migrate", "--db", "there.db", "--to", "back.db", "--json")
	o.must(t, 0)
	var got migrated
	testkit.Must(t, json.Unmarshal([]byte(o.out), &got))
	if len(got.Digest) != 64 || got.Rows < 20 || got.Records < 1 {
		t.Errorf("--json has %+v", got)
	}
	got.Digest, got.Rows, got.Records, got.Seconds = "", 0, 0, 0
	want := migrated{From: filepath.Join(dir, "there.db"), To: filepath.Join(dir, "back.db"), Report: dbcopy.Report{Agents: 2, Versions: 6, Entries: 4, Bytes: 192}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("--json (-want +got):\n%s", diff)
	}
	for name, is := range before {
		if now := contents(t, dir)[name]; now != is {
			t.Errorf("migrate has changed %s", name)
		}
	}
	runCommand(t, dir, nil, "verify", "--db", "back.db").must(t, 0, "ok  2 agents, 6 versions")
}

// A database that is not empty is refused, and no byte of it changes, also if it is of an
// older schema.
func TestMigrateRefuses(t *testing.T) {
	dir := t.TempDir()
	makeDatabase(t, filepath.Join(dir, "from.db"))
	makeDatabase(t, filepath.Join(dir, "to.db"))
	writeFile(t, filepath.Join(dir, "old.db"), testkit.Unpack(t, "../../sqlite/testdata/past/schema2.db.gz"))
	check := unchanged(t, dir)
	for _, to := range []string{"to.db", "old.db", "from.db"} {
		runCommand(t, dir, nil, "migrate", "--from", "from.db", "--to", to).must(t, 4, "the target is not empty: it has the agent ")
	}
	runCommand(t, dir, nil, "migrate", "--from", "none.db", "--to", "new.db").must(t, 3, "there is no database")
	runCommand(t, dir, nil, "migrate", "--from", "from.db").must(t, 2, "--to")
	runCommand(t, dir, nil, "migrate", "--from", "from.db", "--to", "mem:").must(t, 2, "is gone when")
	runCommand(t, dir, nil, "migrate", "--from", "mem:", "--to", "new.db").must(t, 2, "is gone when")
	check()
}

// Commands refuse a copy that is not complete and say how to complete it.
func TestUnfinishedCopy(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.db"), filepath.Join(dir, "to.db")
	makeDatabase(t, from)
	source, err := sqlite.Open(t.Context(), from, sqlite.Options{})
	testkit.Must(t, err)
	defer source.Close()
	target, err := sqlite.Open(t.Context(), to, sqlite.Options{})
	testkit.Must(t, err)
	own := errors.New("killed")
	if _, err := dbcopy.Copy(t.Context(), endsAt{source, "local/bob", own}, target, dbcopy.Options{From: from}); !errors.Is(err, own) {
		t.Fatalf("Copy = %v, want the source's error", err)
	}
	testkit.Must(t, target.Close())
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "1"), []byte("text"), 0o600)) // what files write 1 1 reads
	check := unchanged(t, dir)
	for _, args := range []string{"files ls", "files write 1 1", "keys create --agents a", "agents rm a --yes", "backup b.db", "verify", "doctor", "stats", "export e", "import ."} {
		o := runCommand(t, dir, nil, append(strings.Fields(args), "--db", to)...)
		if o.code != 6 || !strings.Contains(o.out+o.err, "is a copy of "+from+" that is not complete; run scratchpad migrate --from "+from) {
			t.Errorf("%s on a copy that is not complete: exit code %d, %q", args, o.code, o.out+o.err)
		}
	}
	check()
	runCommand(t, dir, nil, "migrate", "--from", to, "--to", "third.db").must(t, 6, "the source: this database is a copy of ")
	runCommand(t, dir, nil, "migrate", "--from", from, "--to", to, "--json").must(t, 0, `"resumed":true`)
	runCommand(t, dir, nil, "verify", "--db", to).must(t, 0, "ok  2 agents, 6 versions, 4 entries, 192 B in ")
}

// endsAt fails when an owner is copied.
type endsAt struct {
	workspace.Store
	owner string
	err   error
}

func (s endsAt) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	if o.String() == s.owner {
		return s.err
	}
	return s.Store.Dump(ctx, o, fn)
}

// There and back over PostgreSQL, and no answer shows a password.
func TestMigrateToPostgreSQL(t *testing.T) {
	url := pgtest.URL(t)
	dir := t.TempDir()
	makeDatabase(t, filepath.Join(dir, "from.db"))
	secret := strings.Replace(url, "?", "?password=secret&", 1)
	there := runCommand(t, dir, nil, "migrate", "--from", "from.db", "--to", secret, "--json")
	there.must(t, 0, `"agents":2,"versions":6,"entries":4,"bytes":192,`)
	back := runCommand(t, dir, nil, "migrate", "--from", secret, "--to", "back.db", "--json")
	back.must(t, 0)
	var a, b migrated
	testkit.Must(t, json.Unmarshal([]byte(there.out), &a))
	testkit.Must(t, json.Unmarshal([]byte(back.out), &b))
	if a.Digest != b.Digest || a.Rows != b.Rows || b.From != a.To {
		t.Errorf("there %+v, and back %+v; want the same", a, b)
	}
	runCommand(t, dir, nil, "verify", "--db", url).must(t, 0, "ok  2 agents, 6 versions, 4 entries, 192 B")
	again := runCommand(t, dir, nil, "migrate", "--from", "from.db", "--to", secret)
	again.must(t, 4, "the target is not empty: it has the agent local/alice")
	for _, o := range []outcome{there, back, again} {
		if strings.Contains(o.out+o.err, "secret") {
			t.Errorf("an answer shows the password: %s%s", o.out, o.err)
		}
	}
}

// Commands that look at a database of an older schema say what will become of it and change
// no byte. The first command that writes migrates it and says where the copy is.
func TestOlderSchema(t *testing.T) {
	const schema = "2"
	dir := t.TempDir()
	path := filepath.Join(dir, "old.db")
	original := testkit.Unpack(t, "../../sqlite/testdata/past/schema"+schema+".db.gz")
	writeFile(t, path, original)
	says := "schema " + schema + ", of an older version; the next server or command that writes changes it to schema 5 and keeps a copy beside it"
	runCommand(t, dir, nil, "doctor", "--db", path).must(t, 0, says)
	runCommand(t, dir, nil, "verify", "--db", path).must(t, 0, "ok  24 agents (and 1 deleted), 42 versions, 157 entries", says)
	runCommand(t, dir, nil, "files", "cat", "--db", path, "--agent", "files", "back.md").must(t, 0, "again")
	runCommand(t, dir, nil, "backup", "--db", path, "copy.db").must(t, 0)
	runCommand(t, dir, nil, "verify", "--db", "copy.db").must(t, 0, says)
	if testkit.ReadFile(t, path) != original {
		t.Error("looking at the database has changed it")
	}

	runCommand(t, dir, nil, "logs", "append", "--db", path, "--agent", "new", "l", "text").must(t, 0, "level=WARN", "from="+schema+" to=5", "old.db-schema"+schema+"-backup")
	o := runCommand(t, dir, nil, "verify", "--db", path)
	o.must(t, 0, "ok  25 agents (and 1 deleted)")
	if bytes.Contains([]byte(o.out), []byte("note")) {
		t.Errorf("verify after the migration says %q", o.out)
	}
	runCommand(t, dir, nil, "verify", "--db", path+"-schema"+schema+"-backup").must(t, 0, says)
}

// A backup can be made while another process has the database open and part of it is
// still in the write-ahead log.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	defer store.Close()
	writeAgents(t, store)
	o := runCommand(t, dir, nil, "backup", "--db", path, "copy 1.db")
	o.must(t, 0, filepath.Join(dir, "copy 1.db")+"  ", "verified, in ")
	if o.err != "" {
		t.Errorf("standard error = %q without a terminal", o.err)
	}
	runCommand(t, dir, nil, "verify", "--db", "copy 1.db").must(t, 0, "ok  2 agents, 6 versions, 4 entries, 192 B")
	o = runCommand(t, dir, []string{"SCRATCHPAD_JSON=true"}, "backup", "--db", path, "copy2.db")
	var got backedUp
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || got.File != filepath.Join(dir, "copy2.db") || got.Bytes < 4096 {
		t.Errorf("--json: %v, %s", err, o.out)
	}
}

func TestBackupRefuses(t *testing.T) {
	dir, _ := newDatabase(t)
	writeFile(t, filepath.Join(dir, "there"), "precious")
	check := unchanged(t, dir)
	for _, c := range []struct {
		args string
		code int
		say  string
	}{
		{"backup there", 2, "it exists; give a new name"},
		{"backup test.db", 2, "it exists"},
		{"backup .", 2, "it exists"},
		{"backup -", 2, "standard output"},
		{"backup none/copy.db", 2, "there is no folder"},
		{"backup copy.db-wal", 2, "-wal"},
		{"backup", 2, "file"},
		{"backup copy.db --db none.db", 3, "there is no database"},
		{"backup copy.db --db mem:", 2, "mem: is no file"},
		{"backup copy.db --db there", 6, "not an SQLite database"},
	} {
		args := strings.Fields(c.args)
		runCommand(t, dir, []string{"SCRATCHPAD_DB=test.db"}, args...).must(t, c.code, c.say)
	}
	check()
}

func TestVerify(t *testing.T) {
	dir, path := newDatabase(t)
	runCommand(t, dir, nil, "verify", "--db", "test.db").must(t, 0, "ok  2 agents, 6 versions, 4 entries, 192 B in ", path)
	o := runCommand(t, dir, nil, "verify", "--db", path, "--json")
	o.must(t, 0)
	var got verified
	testkit.Must(t, json.Unmarshal([]byte(o.out), &got))
	got.Seconds = 0
	want := verified{Database: path, OK: true, Agents: 2, Versions: 6, Entries: 4, Bytes: 192, Problems: []string{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("--json (-want +got):\n%s", diff)
	}
	runCommand(t, dir, nil, "verify", "--db", "mem:").must(t, 2, "mem: is no file")
	runCommand(t, dir, nil, "verify", "--db", "none.db").must(t, 3, "there is no database")
}

// Verify finds a changed bit that SQLite does not notice, names it and counts it once.
func TestVerifyReportsDamagedBytes(t *testing.T) {
	dir, path := newDatabase(t)
	flipContent(t, path)
	runCommand(t, dir, nil, "verify", "--db", path, "--color", "always").must(t, 6, "\x1b[31mproblem", "plan.md: version 1: its bytes do not match their SHA-256", "problems: 1", "restore")
	o := runCommand(t, dir, nil, "verify", "--db", path, "--json")
	var got verified
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || got.OK || len(got.Problems) != 1 || o.code != 6 {
		t.Errorf("%+v, %v, exit code %d; want one problem and 6", got, err, o.code)
	}
	runCommand(t, dir, nil, "backup", "--db", path, "copy.db").must(t, 6, "the copy has 1 problems")
	if _, ok := contents(t, dir)[filepath.Join(dir, "copy.db")]; ok {
		t.Error("a damaged copy has got its name")
	}
}
