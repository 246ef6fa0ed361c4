package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// failureIn is the failure that a command has written with --json. Nothing else
// stands beside it.
func failureIn(t *testing.T, o outcome) failure.Failure {
	t.Helper()
	var v struct{ Error failure.Failure }
	d := json.NewDecoder(strings.NewReader(o.err))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || strings.Count(o.err, "\n") != 1 || !strings.HasSuffix(o.err, "\n") || v.Error.Message == "" {
		t.Errorf("standard error is not one line of JSON: %v: %q", err, o.err)
	}
	return v.Error
}

// With --json an error is one line of JSON, and the exit code is as without.
func TestJSONFailures(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.txt": "text", "foreign.db": "no database"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	db := []string{"SCRATCHPAD_DB=test.db"}
	runCommand(t, dir, db, "files", "write", "plan.md", "a.txt").must(t, 0)
	const another = "agent default; --agent names another"
	for i, c := range []struct {
		args string
		code int
		want failure.Failure
	}{
		{"files cat plan", failure.ExitNotFound, failure.Failure{Kind: "not_found", Message: "read plan: there is no such file; the nearest name is plan.md", Hint: another}},
		{"files write plan.md a.txt --if-version 0", failure.ExitConflict, failure.Failure{Kind: "conflict", Message: "write plan.md: it exists at version 1, --if-version is 0; read it first"}},
		{"files write plan.md a.txt --max-file-bytes 3", failure.ExitLimit, failure.Failure{Kind: "too_large", Message: "write plan.md: the source has more than 3 bytes, the limit of a file (--max-file-bytes)"}},
		{"files rm plan.md --for-good", failure.ExitUsage, failure.Failure{Kind: "invalid", Message: "files rm plan.md needs a yes, and there is no terminal to ask on; give --yes"}},
		{"files ls --db foreign.db", failure.ExitDatabase, failure.Failure{Kind: "invalid"}},
		{"files ls --db none.db", failure.ExitNotFound, failure.Failure{Kind: "not_found"}},
		{"files cat", failure.ExitUsage, failure.Failure{Kind: "usage", Message: `expected "<path>"`, Hint: "scratchpad files cat --help"}},
		{"search -draft", failure.ExitUsage, failure.Failure{Kind: "usage", Message: "unknown flag -d; put -- before a text that begins with a dash", Hint: "scratchpad search --help"}},
		{"nothing", failure.ExitUsage, failure.Failure{Kind: "usage", Message: "unexpected argument nothing", Hint: "scratchpad --help"}},
	} {
		args := strings.Fields(c.args)
		o := runCommand(t, dir, db, append(args, "--json")...)
		if i%2 == 1 {
			o = runCommand(t, dir, append(db, "SCRATCHPAD_JSON=1"), args...)
		}
		got := failureIn(t, o)
		if c.want.Message == "" {
			got.Message = ""
		}
		if diff := cmp.Diff(c.want, got); diff != "" || o.code != c.code || o.out != "" {
			t.Errorf("%s: exit code %d, want %d; output %q; (-want +got):\n%s", c.args, o.code, c.code, o.out, diff)
		}
		plain := runCommand(t, dir, append(db, "SCRATCHPAD_JSON=1"), append(args, "--json=false")...)
		if plain.code != c.code || !strings.HasPrefix(plain.err, "scratchpad: ") || !strings.Contains(plain.err, c.want.Message) || !strings.Contains(plain.err, c.want.Hint) {
			t.Errorf("%s, for people: exit code %d, %q", c.args, plain.code, plain.err)
		}
	}
}

// No command has errors of another form.
func TestJSONFailuresOfEveryCommand(t *testing.T) {
	dir := t.TempDir()
	for _, command := range commands(t) {
		switch command.Name {
		case "__complete", "__man", "demo", "completion", "version", "healthcheck", "help": // they look at no database
			continue
		case "hook": // it never fails a session
			continue
		}
		if len(command.Children) > 0 {
			continue
		}
		args := append(argumentsFor(command), "--json")
		failed := runCommand(t, dir, nil, append(args, "--db", "")...)
		if f := failureIn(t, failed); f.Kind != "invalid" || failed.code != failure.ExitUsage {
			t.Errorf("%s with an empty --db: exit code %d, %+v", command.FullPath(), failed.code, f)
		}
	}
}

// Whatever an argument holds, an error about it drives no terminal and has no line
// that the argument made.
func TestArgumentsInFailures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its arguments and file names hold less")
	}
	dir := t.TempDir()
	const evil = "x\x1b[2J\r\nscratchpad: all is well\u009b\u202e\u2028\u2029\u200b\u200f\ufeff"
	makeDatabase(t, filepath.Join(dir, "test.db"))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, evil), []byte("text"), 0o600))
	for i, args := range [][]string{
		{evil}, {evil + "\xff"}, {"files", "cat", evil + "\xff"}, {"--" + evil}, {"files", evil}, {"files", "ls", evil, evil}, {"files", "ls", "--max-files", evil}, {"files", "ls", "--color=" + evil},
		{"files", "cat", evil}, {"files", "cat", "plan.md", "--version=" + evil}, {"files", "ls", "--db", evil}, {"files", "ls", "--db", evil + "/a"}, {"files", "ls", "--agent", evil},
		{"files", "write", "a", evil + evil}, {"files", "rm", evil}, {"files", "rm", evil, "--yes"}, {"files", "edit", "plan.md", evil}, {"files", "edit", "plan.md", evil, "b"},
		{"logs", "cat", evil}, {"logs", "append", evil, "x"}, {"logs", "rm", evil}, {"agents", "rm", evil, "--yes"}, {"agents", "rm", evil},
		{"backup", evil}, {"backup", evil + "/a"}, {"verify", "--db", evil}, {"client-config", evil}, {"files", "ls", "--agent", evil},
		{"files", "summarize", "plan.md", "--summarizer", "openai", "--summary-base-url", evil}, {"files", "summarize", "plan.md", "--summary-model", evil, "--summarizer", "openai"},
	} {
		for _, asJSON := range []bool{false, true} {
			if asJSON != (i%2 == 0) && !testkit.Full() {
				continue // each command line once
			}
			before := []string{"--json=" + fmt.Sprint(asJSON)}
			o := runCommand(t, dir, []string{"SCRATCHPAD_DB=test.db"}, append(before, args...)...)
			if o.code == 0 || o.code == failure.ExitError {
				t.Errorf("%q: exit code %d, %s", args, o.code, o.err)
			}
			if asJSON {
				failureIn(t, o)
			} else {
				lines := strings.SplitAfter(o.err, "\n")
				if len(lines) == 4 && strings.HasPrefix(lines[1], "Usage: scratchpad ") {
					lines = slices.Delete(lines, 1, 2)
				}
				if len(lines) > 3 || len(lines) == 3 && !strings.HasPrefix(lines[1], "Try: scratchpad") {
					t.Errorf("%q: %q, want a line, one with the usage, and one that says what to try", args, o.err)
				}
			}
			drives := func(r rune) bool {
				return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
			}
			if strings.ContainsFunc(o.err, drives) || bytes.Contains([]byte(o.err), []byte("\xff")) {
				t.Errorf("%q drives the terminal: %q", args, o.err)
			}
		}
	}
}

// An error of a limit names the flag that raises it.
func TestLimitsNameTheirFlags(t *testing.T) {
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
