package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Commands that look at a database of an older schema say what will become of it and change
// no byte. The first command that writes migrates it and says where the copy is.
func TestOlderSchema(t *testing.T) {
	testkit.SkipInShort(t)
	const schema = "2"
	dir := t.TempDir()
	path := filepath.Join(dir, "old.db")
	original, err := os.ReadFile(filepath.Join("..", "..", "sqlite", "testdata", "past", "schema"+schema+".db"))
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(path, original, 0o600))
	says := "schema " + schema + ", of an older version; the next server or command that writes changes it to schema 3 and keeps a copy beside it"
	runCommand(t, dir, nil, "doctor", "--db", path).must(t, 0, says)
	runCommand(t, dir, nil, "verify", "--db", path).must(t, 0, "ok  25 agents (and 1 deleted), 40 versions, 155 entries", says)
	runCommand(t, dir, nil, "files", "cat", "--db", path, "--agent", "files", "back.md").must(t, 0, "again")
	runCommand(t, dir, nil, "backup", "--db", path, "copy.db").must(t, 0)
	runCommand(t, dir, nil, "verify", "--db", "copy.db").must(t, 0, says)
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, original) {
		t.Errorf("looking at the database has changed it: %v", err)
	}

	runCommand(t, dir, nil, "logs", "append", "--db", path, "--agent", "new", "l", "text").must(t, 0, "level=WARN", "from="+schema+" to=3", "old.db-schema"+schema+"-backup")
	o := runCommand(t, dir, nil, "verify", "--db", path)
	o.must(t, 0, "ok  26 agents (and 1 deleted)")
	if bytes.Contains([]byte(o.out), []byte("note")) {
		t.Errorf("verify after the migration says %q", o.out)
	}
	runCommand(t, dir, nil, "verify", "--db", path+"-schema"+schema+"-backup").must(t, 0, says)
}
