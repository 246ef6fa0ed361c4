package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// An error quotes a line of a file or an argument unchanged, even if it reads like an
// error.
func TestQuotesAreNotReworded(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	db := []string{"SCRATCHPAD_DB=" + filepath.Join(dir, "test.db")}
	for _, line := range []string{
		"old_text occurs once, or set all: use read_file",
		"delete what is not needed: quota exceeded",
	} {
		writeFile(t, filepath.Join(dir, "a.txt"), line+"\n")
		runCommand(t, dir, db, "files", "write", "old_text", "a.txt").must(t, 0)
		o := runCommand(t, dir, db, "files", "edit", "old_text", "?"+line, "x")
		if o.code != failure.ExitConflict || !strings.HasPrefix(o.err, "scratchpad: edit old_text: the text to replace does not occur; ") || !strings.Contains(o.err, `"`+line+`"`) {
			t.Errorf("exit code %d, %s, want an error that quotes %q", o.code, o.err, line)
		}
	}
	// A path that is named like an argument, and one like a flag.
	for _, path := range []string{"since_version", "--version"} {
		o := runCommand(t, dir, db, "files", "write", "--if-version", "7", "--", path, "a.txt")
		if want := "scratchpad: write " + path + ": it does not exist, --if-version is 7; for a file that is not there give 0\n"; o.code != failure.ExitConflict || o.err != want {
			t.Errorf("exit code %d, %q, want %q", o.code, o.err, want)
		}
	}
	runCommand(t, dir, db, "files", "write", "--", "-plan", "a.txt").must(t, 0)
	runCommand(t, dir, db, "files", "write", "--", "-plan", "a.txt").must(t, 0)
	runCommand(t, dir, db, "files", "write", "--if-version", "1", "--", "-plan", "a.txt").must(t, failure.ExitConflict, "see what changed with scratchpad files diff -- -plan 1")
	runCommand(t, dir, db, "files", "diff", "--", "-plan", "1").must(t, 0)
}

// An error of a limit names the flag that raises it.
func TestLimitsNameTheirFlags(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	db := []string{"SCRATCHPAD_DB=" + filepath.Join(dir, "test.db")}
	writeFile(t, filepath.Join(dir, "a.txt"), "text\n")
	runCommand(t, dir, db, "files", "write", "a", "a.txt").must(t, 0)
	for _, c := range []struct{ args, want string }{
		{"files write b a.txt --max-files 1", "write b: file limit reached (1 of 1), this write adds 1; delete what is not needed, or raise --max-files"},
		{"logs append l x --max-bytes 1", "delete what is not needed, or raise --max-bytes"},
		{"logs append l four --max-entry-bytes 3", "append to l: 4 bytes, limit 3; split it into several entries, or raise --max-entry-bytes"},
		{"files edit a text longer --max-file-bytes 5", "raise --max-file-bytes"},
		{"logs append l x --agent another --max-agents 1", "delete agents with scratchpad agents rm, or raise --max-agents"},
		{"logs append l x --max-total-bytes 1", "delete agents with scratchpad agents rm, or raise --max-total-bytes"},
	} {
		if o := runCommand(t, dir, db, strings.Fields(c.args)...); o.code != failure.ExitLimit || !strings.Contains(o.err, c.want+"\n") {
			t.Errorf("scratchpad %s: exit code %d, %q, want %q", c.args, o.code, o.err, c.want)
		}
	}
}
