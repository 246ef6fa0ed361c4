package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// withShell is a folder with the command as scratchpad, first on the PATH, and
// the completion script of a shell; false if the shell is not installed.
func withShell(t *testing.T, shell string) (dir, script string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Logf("NOT CHECKED with %s, which is not installed", shell)
		return "", "", false
	}
	dir = t.TempDir()
	testkit.Must(t, os.Symlink(os.Args[0], filepath.Join(dir, "scratchpad")))
	o := runCommand(t, dir, nil, "completion", shell)
	o.must(t, 0)
	script = filepath.Join(dir, "script")
	writeFile(t, script, o.out)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(runVariable, "1")
	name, value, _ := strings.Cut(noRaceWait, "=")
	t.Setenv(name, value)
	return dir, script, true
}

// inShell runs a program of a shell and returns the lines that it prints.
func inShell(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir()) // fish keeps its settings and its history there
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%q: %v, %s", args, err, errs.String())
	}
	return strings.Fields(string(out))
}

// Bash splits words in its own way: = is a word.
func TestCompletionBash(t *testing.T) {
	testkit.SkipInShort(t)
	dir, script, ok := withShell(t, "bash")
	if !ok {
		return
	}
	makeDatabase(t, filepath.Join(dir, "my.db"))
	before := contents(t, dir)
	for _, c := range []struct {
		words []string // after scratchpad
		want  []string
	}{
		{[]string{"--db", "="}, []string{"my.db", "my.db-reserve", "my.db-turn", "my.db-write", "scratchpad", "script"}},
		{[]string{"do"}, []string{"doctor"}},
		{[]string{"--color", "=", "a"}, []string{"auto", "always"}},
		{[]string{"--db", "=", "my.db", "mcp", "--agent", "=", "b"}, []string{"bob"}},
		{[]string{"--db", "script", "--agent", ""}, nil},
		{[]string{"help", "files", "w"}, []string{"write"}},
		{[]string{"$(touch harm)", "`touch harm`", "--color", "n"}, []string{"never"}},
	} {
		args := []string{"bash", "--norc", "-c", `source "$0"; COMP_WORDS=(scratchpad "$@"); COMP_CWORD=$#; _scratchpad scratchpad; printf '%s\n' "${COMPREPLY[@]}"`, script}
		got := inShell(t, dir, append(args, c.words...)...)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("completing has changed the folder (-before +after):\n%s", diff)
	}
}

func TestCompletionFish(t *testing.T) {
	testkit.SkipUnlessLong(t)
	dir, script, ok := withShell(t, "fish")
	if !ok {
		return
	}
	makeDatabase(t, filepath.Join(dir, "my.db"))
	for line, want := range map[string]string{
		"scratchpad doc":                       "doctor",
		"scratchpad client-config cu":          "cursor",
		"scratchpad --db my.db mcp --agent al": "alice",
		"scratchpad --db=my.db mcp --agent=al": "--agent=alice",
	} {
		got := inShell(t, dir, "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// The widgets of zsh need its line editor; what the function adds does not.
const zshRun = `autoload -Uz compinit; compinit -u -d "$PWD/dump"; source "$1"
_describe() { print -rl -- "${candidates[@]%%:*}" }
`

func TestCompletionZsh(t *testing.T) {
	testkit.SkipUnlessLong(t)
	dir, script, ok := withShell(t, "zsh")
	if !ok {
		return
	}
	inShell(t, dir, "zsh", "-f", "-n", script)
	makeDatabase(t, filepath.Join(dir, "my.db"))
	const run = zshRun + `_files() { print :files }
words=("${@[2,-1]}"); CURRENT=$#words; _scratchpad`
	for _, c := range []struct{ words, want []string }{
		{[]string{"doc"}, []string{"doctor"}},
		{[]string{"--color=al"}, []string{"--color=always"}},
		{[]string{"--db", `my\.db`, "--agent", "b"}, []string{"bob"}},
	} {
		args := append([]string{"zsh", "-f", "-c", run, "zsh", script, "scratchpad"}, c.words...)
		if got := inShell(t, dir, args...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

// A name with spaces is completed as one word, however its beginning is quoted.
func TestCompletionOfSpaces(t *testing.T) {
	testkit.SkipUnlessLong(t)
	for shell, c := range map[string]struct {
		run   string // after the program of the shell
		words map[string]string
	}{
		"bash": {`--norc -c |source "$0"; COMP_WORDS=(scratchpad --db my.db files cat "$1"); COMP_CWORD=5; _scratchpad scratchpad; printf '%s\n' "${COMPREPLY[@]}"`,
			map[string]string{"my": `my\ first\ notes.md`, `my\ fi`: `my\ first\ notes.md`, `"my fi`: "my first notes.md", "記": "記憶"}},
		"fish": {`--no-config -c |source $argv[1]; complete -C "scratchpad --db my.db files cat $argv[2]"`,
			map[string]string{"my": "my first notes.md", `my\ fi`: "my first notes.md"}},
		"zsh": {"-f -c |" + zshRun + `words=(scratchpad --db my.db files cat "$2"); CURRENT=$#words; _scratchpad|zsh`,
			map[string]string{"my": "my first notes.md", `my\ fi`: "my first notes.md", "記": "記憶"}},
	} {
		dir, script, ok := withShell(t, shell)
		if !ok {
			continue
		}
		for _, name := range []string{"my first notes.md", "記憶"} {
			runCommand(t, dir, nil, "--db", "my.db", "--paths", "unicode", "files", "write", name, "script").must(t, 0)
		}
		flags, run, _ := strings.Cut(c.run, " |")
		for typed, want := range c.words {
			args := slices.Concat([]string{shell}, strings.Fields(flags), strings.Split(run, "|"), []string{script, typed})
			if got := strings.Join(inShell(t, dir, args...), " "); got != want {
				t.Errorf("%s: %q, want %q", shell, got, want)
			}
		}
	}
}

func TestCompletionRefuses(t *testing.T) {
	testkit.SkipInShort(t)
	runCommand(t, t.TempDir(), nil, "completion", "tcsh").must(t, 2, "bash", "zsh", "fish", "tcsh")
	o := runCommand(t, t.TempDir(), nil, "--help")
	if o.must(t, 0, "completion"); strings.Contains(o.out, "__complete") {
		t.Error("the help shows what is for scripts")
	}
}

func TestComplete(t *testing.T) {
	testkit.SkipInShort(t)
	db := filepath.Join(t.TempDir(), "test.db")
	makeDatabase(t, db)
	node := newParser(&commandLine{}).Model.Node
	for line, want := range map[string]string{
		"files rm p":                "plan.md",
		"files rm plan.md d":        "docs/a.md,docs/b.md",
		"files rm -y docs/a":        "docs/a.md",
		"files write docs/":         "docs/a.md,docs/b.md",
		"files write plan.md ":      ":files",
		"files write plan.md x ":    "",
		"files rm -- --x":           "",
		"files rm -- pl":            "plan.md",
		"logs tail ":                "decisions",
		"logs tail -n 5 d":          "decisions",
		"logs tail -n ":             "",
		"logs tail -n5 d":           "decisions",
		"logs tail --agent nobody ": "",
		"logs tail --agent a/b ":    "",
		"agents rm ":                "alice,bob",
		"--agent=b":                 "--agent=bob",
	} {
		agent := "alice"
		p := &process{ctx: t.Context(), line: &commandLine{globalFlags: globalFlags{DB: &db, Agent: &agent}}}
		got := strings.Join(p.complete(node, strings.Split(line, " ")), ",")
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// The names that begin with what was typed are found behind a page of others.
func TestCompleteMany(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	testkit.Must(t, withService(dir, func(ctx context.Context, svc *workspace.Service) error {
		ws, err := svc.Agent("many")
		for i := 0; i < 210 && err == nil; i++ {
			_, err = ws.AppendLog(ctx, fmt.Sprintf("n-%04d", i), nil)
		}
		return err
	}))
	db, agent := filepath.Join(dir, "scratchpad", "scratchpad.db"), "many"
	p := &process{ctx: t.Context(), line: &commandLine{globalFlags: globalFlags{DB: &db, Agent: &agent}}}
	for line, want := range map[string]string{"logs tail n-0209": "n-0209", "logs tail n-0001": "n-0001", "agents rm \xff": ""} {
		if got := strings.Join(p.complete(newParser(&commandLine{}).Model.Node, strings.Split(line, " ")), ","); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// Completion does not wait for a database that another process has locked.
func TestCompleteQuick(t *testing.T) {
	testkit.SkipInShort(t)
	db := filepath.Join(t.TempDir(), "test.db")
	runSQL(t, db, "CREATE TABLE t (a)")
	tx := lock(t, db)
	defer tx.Close()
	began := time.Now()
	o := runCommand(t, filepath.Dir(db), nil, "__complete", "--", "--db", db, "--agent", "")
	if took := time.Since(began); o.code != 0 || o.out+o.err != "" || took > 30*time.Second {
		t.Errorf("%+v after %v; want nothing, at once", o, took)
	}
	for _, line := range []string{"[", "--agent", "\x01", "=", "= =", "--= =", "-", "--"} {
		if o := runCommand(t, filepath.Dir(db), nil, append([]string{"__complete", "--"}, strings.Fields(line)...)...); o.code != 0 || o.err != "" {
			t.Errorf("%q: %+v; want silence", line, o)
		}
	}
}
