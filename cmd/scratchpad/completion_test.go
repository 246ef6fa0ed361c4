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

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// shells are how the completion of each shell is asked, and what it offers for some words
// after scratchpad. Bash splits words in its own way: = is a word. The widgets of zsh need its
// line editor; what the function adds does not.
var shells = map[string]struct {
	run   []string // before the script and the words
	cases map[string][]string
}{
	"bash": {
		[]string{"--norc", "-c", `source "$0"; COMP_WORDS=(scratchpad "$@"); COMP_CWORD=$#; _scratchpad scratchpad; printf '%s\n' "${COMPREPLY[@]}"`},
		map[string][]string{
			"do": {"doctor"}, "--color|=|a": {"always", "auto"}, "--db|=|scr": {"scratchpad", "script"},
			"--db|=|my.db|mcp|--agent|=|b": {"bob"}, "--db|script|--agent|": {""}, "help|files|w": {"write"},
			"$(touch harm)|`touch harm`|--color|n": {"never"}, "--db|my.db|files|cat|my": {`my\ first\ notes.md`},
			`--db|my.db|files|cat|my\ fi`: {`my\ first\ notes.md`}, `--db|my.db|files|cat|"my fi`: {"my first notes.md"}, "--db|my.db|files|cat|記": {"記憶"},
		},
	},
	"fish": {
		[]string{"--no-config", "-c", `source $argv[1]; complete -C "scratchpad $(string join -- ' ' $argv[2..])" | string replace -r '\t.*' ''; true`},
		map[string][]string{
			"doc": {"doctor"}, "--color=al": {"--color=always"}, "--db|my.db|mcp|--agent|al": {"alice"}, "--db=my.db|mcp|--agent=al": {"--agent=alice"},
			"--db|my.db|files|cat|my": {"my first notes.md"}, `--db|my.db|files|cat|my\ fi`: {"my first notes.md"},
		},
	},
	"zsh": {
		[]string{"-f", "-c", `autoload -Uz compinit; compinit -u -d "$HOME/dump"; source "$1"
_describe() { print -rl -- "${candidates[@]%%:*}" }
_files() { print :files }
words=(scratchpad "${@[2,-1]}"); CURRENT=$#words; _scratchpad`, "zsh"},
		map[string][]string{
			"doc": {"doctor"}, "--color=al": {"--color=always"}, `--db|my\.db|--agent|b`: {"bob"}, "backup|": {":files"},
			"--db|my.db|files|cat|my": {"my first notes.md"}, `--db|my.db|files|cat|my\ fi`: {"my first notes.md"}, "--db|my.db|files|cat|記": {"記憶"},
		},
	},
}

// The script of each shell completes commands, flags and names, and runs nothing of what was
// typed. A name with spaces is completed as one word, however its beginning is quoted.
func TestCompletionInShells(t *testing.T) {
	testkit.SkipUnlessLong(t)
	for shell, c := range shells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("NOT CHECKED with %s, which is not installed", shell)
			}
			dir, home := t.TempDir(), t.TempDir() // fish keeps its settings and its history at home
			testkit.Must(t, os.Symlink(os.Args[0], filepath.Join(dir, "scratchpad")))
			makeDatabase(t, filepath.Join(dir, "my.db"))
			writeFile(t, filepath.Join(dir, "script"), runCommand(t, dir, nil, "completion", shell).out)
			for _, name := range []string{"my first notes.md", "記憶"} {
				runCommand(t, dir, nil, "--db", "my.db", "--paths", "unicode", "files", "write", name, "script").must(t, 0)
			}
			check := unchanged(t, dir)
			for typed, want := range c.cases {
				args := slices.Concat(c.run, []string{filepath.Join(dir, "script")}, strings.Split(typed, "|"))
				got := runProgram(t, shell, dir, environ("HOME="+home, "PATH="+dir+":"+os.Getenv("PATH")), args...)
				offered := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
				slices.Sort(offered)
				if got.code != 0 || got.err != "" || !slices.Equal(offered, want) {
					t.Errorf("%q: %q, %s, want %q", typed, offered, got.err, want)
				}
			}
			check()
		})
	}
}

// wantCompletions checks what is offered for words in a database. A busy machine may need longer
// than completeWait.
func wantCompletions(t *testing.T, db, agent string, offered map[string]string) {
	t.Helper()
	node := newParser(&commandLine{}).Model.Node
	for line, want := range offered {
		got := "-"
		for began := time.Now(); got != want && time.Since(began) < 20*completeWait; {
			p := &process{ctx: t.Context(), line: &commandLine{globalFlags: globalFlags{DB: &db, Agent: &agent}}}
			got = strings.Join(p.complete(node, strings.Split(line, " ")), ",")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	_, db := newDatabase(t)
	wantCompletions(t, db, "alice", map[string]string{
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
		"projects set x b":          "bob",
		"projects off ":             ":files",
	})
}

// The names that begin with what was typed are found behind a page of others.
func TestCompleteMany(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	testkit.Must(t, withDatabase(db, func(ctx context.Context, svc *workspace.Service) error {
		ws, err := svc.Agent("many")
		for i := 0; i < 210 && err == nil; i++ {
			_, err = ws.AppendLog(ctx, fmt.Sprintf("n-%04d", i), nil)
		}
		return err
	}))
	wantCompletions(t, db, "many", map[string]string{"logs tail n-0209": "n-0209", "logs tail n-0001": "n-0001", "agents rm \xff": ""})
}

// Completion does not wait for a database that another process has locked.
func TestCompleteQuick(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	runDriver(t, "sqlite", db, "CREATE TABLE t (a)")
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
