package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Each flag and argument that is a path of the file system takes ~/ for $HOME, from the
// command line and from its variable.
func TestHomeInEveryPath(t *testing.T) {
	testkit.SkipInShort(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	tried := 0
	for _, command := range commands(t) {
		values := slices.Clone(command.Positional)
		for _, f := range slices.Concat(command.AllFlags(false)...) {
			values = append(values, f.Value)
		}
		for _, v := range values {
			if !isLocal(v) {
				continue
			}
			if tried++; v.Tag.Type != "path" && v.Tag.Type != "homepath" {
				t.Errorf("%s of %s has the type %q", v.Name, fullPath(command), v.Tag.Type)
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d values were tried", tried)
	}
	t.Setenv("SCRATCHPAD_DB_PATH", "~/sub/x.db")
	line := parsed(t, []string{"import", "~/sub/dir"})
	if line.Import.Dir != filepath.Join(home, "sub", "dir") || *line.DB != filepath.Join(home, "sub", "x.db") {
		t.Errorf("the paths are %s and %s", line.Import.Dir, *line.DB)
	}
}

// isLocal reports whether the words of a flag or an argument are those of a path of the
// file system.
func isLocal(v *kong.Value) bool {
	if v.Flag != nil {
		return slices.Contains([]string{"FILE", "FOLDER", "DIR", "DB"}, v.Flag.PlaceHolder)
	}
	return slices.Contains([]string{"dir", "file", "source"}, v.Name)
}

// A home that is not that of the user's entry in the system, and no home.
func TestHomeOfCommands(t *testing.T) {
	testkit.SkipInShort(t)
	dir, home := t.TempDir(), t.TempDir()
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "XDG_DATA_HOME=~/data", "CODEX_HOME=~/codex"}
	runCommand(t, dir, env, "logs", "append", "l", "x", "--db=~/m.db").must(t, 0)
	runCommand(t, dir, env, "client-config", "codex", "--db=~/m.db").must(t, 0, filepath.Join(home, "m.db"), filepath.Join(home, "codex"))
	runCommand(t, dir, env, "files", "ls").must(t, failure.ExitNotFound, filepath.Join(home, "data"))
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("in the current folder are %v, %v", names, err)
	}
	runCommand(t, dir, []string{"HOME=", "USERPROFILE="}, "files", "ls", "--db", "~/m.db").must(t, failure.ExitUsage, `there is no home folder for "~/m.db"`)
}
