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

	"github.com/alecthomas/kong"
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
		{[]string{"client-config", "c"}, []string{"claude-code", "claude-desktop", "cursor", "codex"}},
		{[]string{"--col"}, []string{"--color"}},
		{[]string{"--color", "a"}, []string{"auto", "always"}},
		{[]string{"--color", "=", "a"}, []string{"auto", "always"}},
		{[]string{"--color", "="}, []string{"auto", "always", "never"}},
		{[]string{"--paths", ""}, []string{"ascii", "unicode"}},
		{[]string{"--json", "completion", "z"}, []string{"zsh"}},
		{[]string{"backup", "scr"}, []string{"scratchpad", "script"}},
		{[]string{"--db", "=", "scri"}, []string{"script"}},
		{[]string{"--db", "my.db", "mcp", "--agent", ""}, []string{"alice", "bob"}},
		{[]string{"--db", "=", "my.db", "mcp", "--agent", "=", "b"}, []string{"bob"}},
		{[]string{"--db", "none.db", "--agent", ""}, nil},
		{[]string{"--db", "script", "--agent", ""}, nil},
		{[]string{"no-such", "--also", "x"}, nil},
		{[]string{"help", "f"}, []string{"files", "flags"}},
		{[]string{"help", "files", "w"}, []string{"write"}},
		{[]string{"help", "files", "write", ""}, nil},
		{[]string{"help", "no-such", ""}, nil},
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
	testkit.SkipInShort(t)
	dir, script, ok := withShell(t, "fish")
	if !ok {
		return
	}
	makeDatabase(t, filepath.Join(dir, "my.db"))
	for line, want := range map[string]string{
		"scratchpad doc":                       "doctor",
		"scratchpad client-config cu":          "cursor",
		"scratchpad --color=al":                "--color=always",
		"scratchpad --db my.db mcp --agent al": "alice",
		"scratchpad --db=my.db mcp --agent=al": "--agent=alice",
		"scratchpad backup my":                 "my.db",
		"scratchpad --paths ascii --color n":   "never",
	} {
		got := inShell(t, dir, "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestCompletionZsh(t *testing.T) {
	testkit.SkipInShort(t)
	dir, script, ok := withShell(t, "zsh")
	if !ok {
		return
	}
	inShell(t, dir, "zsh", "-f", "-n", script)
	makeDatabase(t, filepath.Join(dir, "my.db"))
	// The widgets of zsh need its line editor; what the function adds does not.
	const run = `autoload -Uz compinit; compinit -u -d "$PWD/dump"; source "$1"
_describe() { print -rl -- "${candidates[@]%%:*}" }
_files() { print :files }
words=("${@[2,-1]}"); CURRENT=$#words; _scratchpad`
	for _, c := range []struct{ words, want []string }{
		{[]string{"doc"}, []string{"doctor"}},
		{[]string{"--color=al"}, []string{"--color=always"}},
		{[]string{"--db", `my\.db`, "--agent", "b"}, []string{"bob"}},
		{[]string{"backup", ""}, []string{":files"}},
		{[]string{"--paths", ""}, []string{"ascii", "unicode"}},
	} {
		args := append([]string{"zsh", "-f", "-c", run, "zsh", script, "scratchpad"}, c.words...)
		if got := inShell(t, dir, args...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

// A name with spaces is completed as one word, however its beginning is quoted.
func TestCompletionOfSpaces(t *testing.T) {
	testkit.SkipInShort(t)
	for shell, c := range map[string]struct {
		run   []string // before the script
		words map[string]string
	}{
		"bash": {[]string{"bash", "--norc", "-c", `source "$0"; COMP_WORDS=(scratchpad --db my.db files cat "$1"); COMP_CWORD=5; _scratchpad scratchpad; printf '%s\n' "${COMPREPLY[@]}"`},
			map[string]string{"my": `my\ first\ notes.md`, `my\ fi`: `my\ first\ notes.md`, `"my fi`: "my first notes.md", "'my fi": "my first notes.md", "記": "記憶"}},
		"fish": {[]string{"fish", "--no-config", "-c", `source $argv[1]; complete -C "scratchpad --db my.db files cat $argv[2]"`},
			map[string]string{"my": "my first notes.md", `my\ fi`: "my first notes.md", "記": "記憶"}},
		"zsh": {[]string{"zsh", "-f", "-c", `autoload -Uz compinit; compinit -u -d "$PWD/dump"; source "$1"
_describe() { print -rl -- "${candidates[@]%%:*}" }
words=(scratchpad --db my.db files cat "$2"); CURRENT=$#words; _scratchpad`, "zsh"},
			map[string]string{"my": "my first notes.md", `my\ fi`: "my first notes.md", "記": "記憶"}},
	} {
		dir, script, ok := withShell(t, shell)
		if !ok {
			continue
		}
		for _, name := range []string{"my first notes.md", "記憶"} {
			runCommand(t, dir, nil, "--db", "my.db", "--paths", "unicode", "files", "write", name, "script").must(t, 0)
		}
		for typed, want := range c.words {
			args := append(slices.Clone(c.run), script, typed)
			if got := strings.Join(inShell(t, dir, args...), " "); got != want {
				t.Errorf("%s: %q, want %q", shell, got, want)
			}
		}
	}
}

func TestCompletionRefuses(t *testing.T) {
	runCommand(t, t.TempDir(), nil, "completion", "tcsh").must(t, 2, "bash", "zsh", "fish", "tcsh")
	o := runCommand(t, t.TempDir(), nil, "--help")
	if o.must(t, 0, "completion"); strings.Contains(o.out, "__complete") {
		t.Error("the help shows what is for scripts")
	}
}

// stored is a command line like that of files and logs.
type stored struct {
	DB    *string
	Agent *string
	Files struct {
		Rm struct {
			Paths []string `arg:"" name:"path"`
			Yes   bool     `short:"y"`
		} `cmd:"" aliases:"remove"`
		Write struct {
			Path   string `arg:""`
			Source string `arg:"" optional:"" type:"path"`
		} `cmd:""`
		Hidden struct{} `cmd:"" hidden:""`
	} `cmd:"" help:"One thing. Another."`
	Logs struct {
		Tail struct {
			Log string `arg:""`
			N   int    `short:"n"`
		} `cmd:""`
	} `cmd:""`
	Agents struct {
		Rm struct {
			Name string `arg:""`
		} `cmd:""`
	} `cmd:""`
}

func TestComplete(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	makeDatabase(t, db)
	k := kong.Must(&stored{})
	for line, want := range map[string]string{
		"":                          "files\tOne thing,logs,agents",
		"files":                     "files\tOne thing",
		"files ":                    "rm,write",
		"files rm p":                "plan.md",
		"files rm plan.md d":        "docs/a.md,docs/b.md",
		"files remove -y docs/a":    "docs/a.md",
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
		"files rm --y":              "--yes",
	} {
		agent := "alice"
		p := &process{ctx: t.Context(), line: &commandLine{globalFlags: globalFlags{DB: &db, Agent: &agent}}}
		got := strings.Join(p.complete(k.Model.Node, strings.Split(line, " ")), ",")
		for _, untitled := range []string{"logs", "agents", "rm", "write", "--yes"} {
			got = strings.ReplaceAll(got, untitled+"\t", untitled)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// The names that begin with what was typed are found among any number of names.
func TestCompleteMany(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	err := withService(dir, func(ctx context.Context, svc *workspace.Service) error {
		for i := range 200 + 20 {
			name := fmt.Sprintf("n-%04d", i)
			ws, err := svc.Agent(name)
			if err == nil {
				_, err = ws.AppendLog(ctx, "l", nil)
			}
			if err == nil {
				ws, err = svc.Agent("many")
			}
			if err == nil {
				_, err = ws.AppendLog(ctx, name, nil)
			}
			if err == nil {
				_, err = ws.WriteFile(ctx, name, nil, workspace.WriteOptions{})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	testkit.Must(t, err)
	db, agent := filepath.Join(dir, "scratchpad", "scratchpad.db"), "many"
	k := kong.Must(&stored{})
	for line, want := range map[string]string{
		"files rm n-0219":  "n-0219",
		"files rm n-021":   "n-0210,n-0211,n-0212,n-0213,n-0214,n-0215,n-0216,n-0217,n-0218,n-0219",
		"logs tail n-0219": "n-0219",
		"agents rm n-0219": "n-0219",
		"agents rm n-021":  "n-0210,n-0211,n-0212,n-0213,n-0214,n-0215,n-0216,n-0217,n-0218,n-0219",
		"--agent=n-0200":   "--agent=n-0200",
		"--agent n-0200":   "n-0200",
		"agents rm \xff":   "",
	} {
		p := &process{ctx: t.Context(), line: &commandLine{globalFlags: globalFlags{DB: &db, Agent: &agent}}}
		if got := strings.Join(p.complete(k.Model.Node, strings.Split(line, " ")), ","); got != want {
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
	took := time.Hour
	for try := 0; try < 5 && took > 1900*time.Millisecond; try++ { // a busy machine starts a process late, not each time
		began := time.Now()
		o := runCommand(t, filepath.Dir(db), nil, "__complete", "--", "--db", db, "--agent", "")
		if took = time.Since(began); o.code != 0 || o.out+o.err != "" {
			t.Errorf("%+v; want nothing", o)
		}
	}
	if took > 1900*time.Millisecond {
		t.Errorf("it took %v each time, want less than SQLite waits for a lock", took)
	}
	for _, line := range []string{"[", "--agent", "\x01", "=", "= =", "--= =", "-", "--"} {
		if o := runCommand(t, filepath.Dir(db), nil, append([]string{"__complete", "--"}, strings.Fields(line)...)...); o.code != 0 || o.err != "" {
			t.Errorf("%q: %+v; want silence", line, o)
		}
	}
}
