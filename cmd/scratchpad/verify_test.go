package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestVerify(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	makeDatabase(t, path)
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

// An agent that was deleted leaves its last numbers. Every command counts the agents
// that are left, and verify says that it has checked those numbers too.
func TestDeletedAgentsAreNotCounted(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	makeDatabase(t, path)
	runCommand(t, dir, nil, "agents", "rm", "alice", "--yes", "--db", path).must(t, 0)
	runCommand(t, dir, nil, "verify", "--db", path).must(t, 0, "ok  1 agent (and 1 deleted), ")
	runCommand(t, dir, nil, "verify", "--db", path, "--json").must(t, 0, `"agents":1,"deleted_agents":1,`)
	runCommand(t, dir, nil, "doctor", "--db", path).must(t, 0, "agents       1 agent, ")
	runCommand(t, dir, nil, "stats", "--db", path, "--json").must(t, 0, `"store_agents":1,`)
	if o := runCommand(t, dir, nil, "agents", "ls", "--db", path); o.code != 0 || strings.Count(o.out, "\n") != 2 {
		t.Errorf("agents ls has %q, want a header and one agent", o.out)
	}
}

// Verify finds a changed bit that SQLite does not notice, names it and counts it once.
func TestVerifyFindsContent(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	makeDatabase(t, path)
	flipContent(t, path)
	runCommand(t, dir, nil, "verify", "--db", path, "--color", "always").must(t, 6, "\x1b[31mproblem", "plan.md: version 1: its bytes do not match their SHA-256", "problems: 1", "restore")
	o := runCommand(t, dir, nil, "verify", "--db", path, "--json")
	var got verified
	if err := json.Unmarshal([]byte(o.out), &got); err != nil || got.OK || len(got.Problems) != 1 || o.code != 6 {
		t.Errorf("%+v, %v, exit code %d; want one problem and 6", got, err, o.code)
	}
	runCommand(t, dir, nil, "backup", "--db", path, "copy.db").must(t, 6, "the copy has 1 problems")
	if _, ok := contents(t, dir)["copy.db"]; ok {
		t.Error("a damaged copy has got its name")
	}
}
