package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemory fills a memory by the program of this tree, and finds what the tasks ask for.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	o := options{program: filepath.Join(dir, "scratchpad"), database: filepath.Join(dir, "trial.db"),
		record: filepath.Join(dir, "trial.jsonl")}
	build := exec.Command("go", "-C", "../..", "build", "-o", o.program, "./cmd/scratchpad")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	if err := o.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{`"file_count":58,"log_count":340,"logs":2,`, []string{"stats", "--agent", "trial", "--json"}},
		{"discounted by 12 percent", []string{"files", "cat", "customers/lindqvist.md", "--agent", "trial"}},
		{"basalt tile: 45", []string{"files", "cat", "prices.md", "--version", "4", "--agent", "trial"}},
		{"## Rollback", []string{"files", "cat", "plan.md", "--version", "3", "--agent", "trial"}},
		{"tom 1", []string{"files", "history", "prices.md", "--agent", "trial"}},
		{"nora 1", []string{"files", "history", "projects/falcon.md", "--agent", "trial"}},
	} {
		out, err := exec.Command(o.program, append([]string{"--db", o.database}, c.args...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%v = %s, %v, want %q in it", c.args, out, err, c.want)
		}
	}
}
