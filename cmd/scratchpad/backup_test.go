package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

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
