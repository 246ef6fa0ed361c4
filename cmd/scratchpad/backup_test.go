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
	testkit.SkipInShort(t)
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
	testkit.SkipInShort(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	makeDatabase(t, path)
	writeFile(t, filepath.Join(dir, "there"), "precious")
	before := contents(t, dir)
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
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
}
