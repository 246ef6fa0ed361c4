package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Each flag and argument that is a path of the file system takes ~/ for $HOME, from the
// command line and from its variable. The paths of an agent's files have no home.
func TestHomeInEveryPath(t *testing.T) {
	testkit.SkipInShort(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if got, err := os.UserHomeDir(); err != nil || got != home {
		t.Fatalf("the home folder is %s, %v", got, err)
	}
	want := filepath.Join(home, "sub", "x.db")
	tried := map[string]bool{}
	try := func(what string, args []string, v func(*kong.Context) *kong.Value) {
		tried[what] = true
		parser := newParser(new(commandLine))
		k, err := parser.Parse(args)
		if err != nil {
			t.Errorf("%s: %v", strings.Join(args, " "), err)
		} else if got := reflect.Indirect(v(k).Target).String(); got != want {
			t.Errorf("%s: %s is %s, want %s", strings.Join(args, " "), what, got, want)
		}
	}
	for _, command := range commands(t) {
		if len(command.Children) > 0 {
			continue
		}
		args := argumentsFor(command)
		for i, p := range command.Positional {
			if isLocal(p) {
				given := slices.Clone(args)
				given[len(args)-len(command.Positional)+i] = "~/sub/x.db"
				try(fullPath(command)+" "+p.Name, given, func(k *kong.Context) *kong.Value { return k.Selected().Positional[i] })
			}
		}
		for _, f := range slices.Concat(command.AllFlags(false)...) {
			if !isLocal(f.Value) || tried[f.Envs[0]] {
				continue
			}
			flag := func(k *kong.Context) *kong.Value {
				return k.Flags()[slices.IndexFunc(k.Flags(), func(other *kong.Flag) bool { return other.Name == f.Name })].Value
			}
			args := args
			if pair := map[string]string{"tls-cert": "--tls-key=k", "tls-key": "--tls-cert=c"}[f.Name]; command.Name == "serve" && pair != "" {
				args = append(slices.Clone(args), pair)
			}
			try("--"+f.Name, append(slices.Clone(args), "--"+f.Name, "~/sub/x.db"), flag)
			for _, variable := range f.Envs {
				t.Setenv(variable, "~/sub/x.db")
				try(variable, args, flag)
				os.Unsetenv(variable)
			}
		}
	}
	for _, what := range []string{"--db", "SCRATCHPAD_DB_PATH", "--tls-cert", "--to", "scratchpad import dir", "scratchpad files write source"} {
		if !tried[what] {
			t.Errorf("%s was not tried", what)
		}
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
