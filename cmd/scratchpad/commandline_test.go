package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
)

// The help of each command has an example, and each example is a valid command line.
func TestHelpExamples(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for a Unix shell")
	}
	dir := t.TempDir()
	for _, name := range []string{"plan.md", "notes.txt", "app.log"} {
		writeFile(t, filepath.Join(dir, name), "text")
	}
	for _, command := range commands(t) {
		found := false
		for line := range strings.Lines(command.Detail) {
			if !strings.HasPrefix(line, "  scratchpad ") {
				continue
			}
			found = true
			// The shell splits the words as for a user.
			sh := exec.Command("sh", "-c", `scratchpad() { for a; do printf '%s\037' "$a"; done; printf '\036'; }; `+line)
			sh.Dir = dir
			out, err := sh.Output()
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			for words := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x1f\x1e"), "\x1f\x1e") {
				args, all, alone := strings.Split(words, "\x1f"), new(commandLine), new(commandLine)
				k, err := newParser(all).Parse(args)
				if err != nil {
					t.Errorf("%s: %v", line, err)
				} else if one, ok := parseAlone(args, alone); ok != (alone.alone(args[0]) != nil) ||
					ok && (one.Command() != k.Command() || !reflect.DeepEqual(alone.globalFlags, all.globalFlags) ||
						!reflect.DeepEqual(alone.alone(args[0]), all.alone(args[0]))) {
					t.Errorf("%s is parsed alone as %s, %+v, want %+v", line, one.Command(), alone.alone(args[0]), all.alone(args[0]))
				}
			}
		}
		if !found && len(command.Children) == 0 && command.Name != "mcp" && !command.Hidden {
			t.Errorf("the help of %s has no example", command.FullPath())
		}
	}
}

// commands are all of the command line.
func commands(t *testing.T) []*kong.Node {
	t.Helper()
	parser := newParser(&commandLine{})
	var all []*kong.Node
	err := kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Type == kong.CommandNode {
			all = append(all, n)
		}
		return next(nil)
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("visiting the commands: %v, %d of them", err, len(all))
	}
	return all
}

// Each flag and argument that is a path of the file system takes ~/ for $HOME, from the
// command line and from its variable.
func TestHomeInEveryPath(t *testing.T) {
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
				t.Errorf("%s of %s has the type %q", v.Name, command.FullPath(), v.Tag.Type)
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d values were tried", tried)
	}
	t.Setenv("SCRATCHPAD_DB", "") // counts as unset
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

// An empty variable counts as unset, for each flag of each command.
func TestEmptyVariables(t *testing.T) {
	clean, empty := new(commandLine), new(commandLine)
	parser := newParser(clean)
	all := commands(t)
	variables := 0
	for _, command := range all {
		for _, f := range slices.Concat(command.AllFlags(false)...) {
			for _, variable := range f.Envs {
				t.Setenv(variable, "")
				variables++
			}
		}
	}
	withEmpty := newParser(empty)
	for _, command := range all {
		if args := argumentsFor(command); len(command.Children) == 0 {
			_, err := parser.Parse(args)
			_, errOfEmpty := withEmpty.Parse(args)
			if err != nil || errOfEmpty != nil || !reflect.DeepEqual(clean, empty) {
				t.Errorf("%s with empty variables: %+v, %v, want as without: %+v, %v", strings.Join(args, " "), empty, errOfEmpty, clean, err)
			}
		}
	}
	if variables < 20 {
		t.Errorf("%d variables were tried", variables)
	}
}

// argumentsFor is a command with a value for each of its arguments.
func argumentsFor(command *kong.Node) []string {
	args := strings.Fields(command.FullPath())[1:]
	for _, p := range command.Positional {
		value := "1"
		if p.Enum != "" {
			value = p.EnumSlice()[0]
		}
		args = append(args, value)
	}
	return args
}

// parsed is a command line as it is understood.
func parsed(t *testing.T, args []string) *commandLine {
	t.Helper()
	line := new(commandLine)
	parser := newParser(line)
	if _, err := parser.Parse(args); err != nil {
		t.Errorf("%s: %v", strings.Join(args, " "), err)
		return nil
	}
	return line
}
