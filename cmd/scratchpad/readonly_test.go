package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
)

// looks are the commands that only look, on a database of [makeDatabase].
var looks = []string{
	"files ls", "files cat plan.md", "files history plan.md", "files diff plan.md 1 1 --json",
	"logs ls", "logs cat decisions", "logs tail decisions", "stats", "agents ls",
}

// A command that only looks changes no byte and counts no operation of the agent.
func TestLook(t *testing.T) {
	dir, path := newDatabase(t)
	check := unchanged(t, dir)
	operations := runCommand(t, dir, nil, "agents", "ls", "--db", path, "--json").out
	lookAll(t, path, "alice")
	check()
	if after := runCommand(t, dir, nil, "agents", "ls", "--db", path, "--json").out; after != operations {
		t.Errorf("agents ls = %s after looking, want %s", after, operations)
	}
	runCommand(t, dir, nil, "stats", "--db", path, "--agent", "alice", "--json").must(t, 0, `"total_operations":4,`)
	runCommand(t, dir, nil, "files", "ls", "--db", "mem:").must(t, 0, "no files")
	runCommand(t, dir, nil, "stats", "--db", "mem:", "--json").must(t, 0, `"total_operations":0,`)
}

func lookAll(t *testing.T, path, agent string, variables ...string) {
	t.Helper()
	for _, args := range looks {
		o := runCommand(t, filepath.Dir(path), append(variables, "SCRATCHPAD_DB="+path, "SCRATCHPAD_AGENT="+agent), strings.Fields(args)...)
		if o.code != 0 || o.out == "" || o.err != "" {
			t.Errorf("scratchpad %s: exit code %d, %q, %q; want 0, an answer and nothing else", args, o.code, o.out, o.err)
		}
	}
}

// An empty file is not a database yet. Only a write makes it one.
func TestLookEmpty(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "empty.db")
	writeFile(t, path, "")
	for _, args := range append([]string{"verify", "backup copy.db", "files rm plan.md --yes", "files edit plan.md a b", "files mv plan.md b", "files restore plan.md 1", "logs rm decisions --yes", "agents rm alice --yes"}, looks...) {
		for _, db := range []string{path, filepath.Join(dir, "none.db"), filepath.Join(dir, "none", "a.db")} {
			o := runCommand(t, dir, []string{"SCRATCHPAD_DB=" + db}, strings.Fields(args)...)
			if o.code != failure.ExitNotFound || !strings.Contains(o.err, "there is no database at "+db) {
				t.Errorf("scratchpad %s: exit code %d, %q; want %d, and that there is no database", args, o.code, o.err, failure.ExitNotFound)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Fatalf("the folder holds %v after %s, %v; want the empty file alone", entries, args, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("the empty file has %d bytes, %v", info.Size(), err)
	}
	runCommand(t, dir, []string{"SCRATCHPAD_DB=" + path}, "logs", "append", "l", "one").must(t, 0)
}
