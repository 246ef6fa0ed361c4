package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// failureIn is the failure that a command has written with --json. Nothing else
// stands beside it.
func failureIn(t *testing.T, o outcome) failure {
	t.Helper()
	var v struct{ Error failure }
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
	for name, content := range map[string]string{"a.txt": "text", "foreign.db": "no database", "config.toml": "mcp_servers = 1\n"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	db := []string{"SCRATCHPAD_DB=test.db"}
	runCommand(t, dir, db, "files", "write", "plan.md", "a.txt").must(t, 0)
	const another = "agent default; --agent names another"
	for _, c := range []struct {
		args string
		code int
		want failure
	}{
		{"files cat plan", exitNotFound, failure{"not_found", "read plan: there is no such file; the nearest name is plan.md", another}},
		{"files cat plan --agent b", exitNotFound, failure{"not_found", "read plan: there is no such file; scratchpad files ls shows those that exist", ""}},
		{"files cat plan.md --version 7", exitNotFound, failure{"not_found", "read plan.md: version 7 is not kept, only version 1 is", ""}},
		{"files write plan.md a.txt --if-version 0", exitConflict, failure{"conflict", "write plan.md: it exists at version 1, --if-version is 0; read it first", ""}},
		{"files write plan.md a.txt --max-file-bytes 3", exitLimit, failure{"too_large", "write plan.md: the source has more than 3 bytes, the limit of a file (--max-file-bytes)", ""}},
		{"files write b a.txt --max-files 1", exitLimit, failure{Kind: "quota"}},
		{"files rm plan.md", exitUsage, failure{"invalid", "files rm plan.md needs a yes, and there is no terminal to ask on; give --yes", ""}},
		{"files ls --db foreign.db", exitDatabase, failure{Kind: "invalid"}},
		{"files ls --db none.db", exitNotFound, failure{Kind: "not_found"}},
		{"client-config codex --write --file config.toml", exitError, failure{Kind: "by_hand"}},
		{"mcp --agent ..", exitUsage, failure{Kind: "invalid"}},
		{"files cat", exitUsage, failure{"usage", `expected "<path>"`, "scratchpad files cat --help"}},
		{"search -draft", exitUsage, failure{"usage", "unknown flag -d; put -- before a text that begins with a dash", "scratchpad search --help"}},
		{"files --nothing", exitUsage, failure{"usage", "unknown flag --nothing", "scratchpad files --help"}},
		{"nothing", exitUsage, failure{"usage", "unexpected argument nothing", "scratchpad --help"}},
		{"logs cat l --tail x", exitUsage, failure{Kind: "usage", Hint: "scratchpad logs cat --help"}},
	} {
		args := strings.Fields(c.args)
		for _, o := range []outcome{
			runCommand(t, dir, db, append(args, "--json")...), runCommand(t, dir, db, append([]string{"--json=true"}, args...)...),
			runCommand(t, dir, append(db, "SCRATCHPAD_JSON=1"), args...),
		} {
			got := failureIn(t, o)
			if c.want.Message == "" {
				got.Message = ""
			}
			if diff := cmp.Diff(c.want, got); diff != "" || o.code != c.code || o.out != "" {
				t.Errorf("%s: exit code %d, want %d; output %q; (-want +got):\n%s", c.args, o.code, c.code, o.out, diff)
			}
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
		if len(command.Children) > 0 || command.Name == "__complete" {
			continue
		}
		args := append(argumentsFor(command), "--json")
		wrong := runCommand(t, dir, nil, append(args, "--no-such-flag")...)
		if f := failureIn(t, wrong); f.Kind != "usage" || wrong.code != exitUsage || f.Hint != fullPath(command)+" --help" {
			t.Errorf("%s: exit code %d, %+v", fullPath(command), wrong.code, f)
		}
		switch command.Name {
		case "demo", "completion", "version", "healthcheck": // they look at no database
			continue
		}
		failed := runCommand(t, dir, nil, append(args, "--db", "")...)
		if f := failureIn(t, failed); f.Kind != "invalid" || failed.code != exitUsage {
			t.Errorf("%s with an empty --db: exit code %d, %+v", fullPath(command), failed.code, f)
		}
	}
}

// Each kind has its name and its exit code, and its words are not said twice.
func TestFailureKinds(t *testing.T) {
	ctx := t.Context()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code int
		want failure
	}{
		{ctx, workspace.Errorf(workspace.ErrNotFound, "read a: there is no such file"), 3, failure{"not_found", "read a: there is no such file", ""}},
		{ctx, fmt.Errorf("read a: version 3: %w", workspace.ErrNotFound), 3, failure{"not_found", "read a: version 3: not found", ""}},
		{ctx, fmt.Errorf("open a: %w", workspace.ErrReadOnly), 6, failure{"read_only", "open a: read-only", ""}},
		{ctx, &workspace.Error{Op: "read", Object: "a", Kind: workspace.ErrNotFound}, 3, failure{"not_found", "read a: not found", ""}},
		{ctx, &workspace.Error{Op: "read", Object: "a", Kind: workspace.ErrBusy, Err: workspace.Errorf(workspace.ErrBusy, "nothing happened")}, 6, failure{"busy", "read a: nothing happened", ""}},
		{ctx, &workspace.Error{Op: "read", Object: "a", Kind: workspace.ErrCorrupt, Err: fmt.Errorf("sqlite: it is damaged: %w", workspace.ErrCorrupt)}, 6, failure{"corrupt", "read a: sqlite: it is damaged: corrupt", ""}},
		{ctx, workspace.ErrBusy, 6, failure{"busy", "busy", ""}},
		{ctx, workspace.Errorf(workspace.ErrInvalid, "write a: permission denied"), 2, failure{"invalid", "write a: permission denied", ""}},
		{ctx, workspace.Errorf(workspace.ErrStorageFull, "write a: no space is left on the disk"), 6, failure{"storage_full", "write a: no space is left on the disk", ""}},
		{ctx, workspace.Errorf(workspace.ErrOutcomeUnknown, "write a: it may or may not be stored"), 6, failure{"outcome_unknown", "write a: it may or may not be stored", ""}},
		{ctx, workspace.Errorf(workspace.ErrUnsupported, "open a: its schema is 9"), 6, failure{"unsupported", "open a: its schema is 9", ""}},
		{ctx, workspace.Errorf(workspace.ErrCorrupt, "read a: the bytes are not the same"), 6, failure{"corrupt", "read a: the bytes are not the same", ""}},
		{ctx, fmt.Errorf("write a: %w", workspace.ErrClosed), 1, failure{"closed", "write a: closed", ""}},
		{ctx, workspace.Errorf(workspace.ErrProvider, "summarize a: the server is not there"), 1, failure{"provider", "summarize a: the server is not there", ""}},
		{ctx, marked{errors.New("doctor found a problem")}, 6, failure{"database", "doctor found a problem", ""}},
		{ctx, marked{workspace.Errorf(workspace.ErrInvalid, "it is no database of ours")}, 6, failure{"invalid", "it is no database of ours", ""}},
		{ctx, errDeclined, 1, failure{"declined", "nothing was changed", ""}},
		{ctx, &fs.PathError{Op: "open", Path: "a\n\x1b\u2028", Err: fs.ErrExist}, 1, failure{"internal", `open a\n\u001b\u2028: file already exists`, ""}},
		{ctx, errors.Join(workspace.Errorf(workspace.ErrNotFound, "read a: there is no such file"), errors.New("close: no")), 3, failure{"not_found", "read a: there is no such file; close: no", ""}},
		{ctx, errors.Join(hinted{workspace.Errorf(workspace.ErrNotFound, "read a: there is no such file"), "look elsewhere"}, nil), 3, failure{"not_found", "read a: there is no such file", "look elsewhere"}},
		{ended, context.Canceled, 130, failure{"interrupted", "context canceled", ""}},
		{ended, errInterrupted, 130, failure{"interrupted", "interrupted", ""}},
	} {
		if diff := cmp.Diff(c.want, failureOf(c.ctx, c.err)); diff != "" || exitCode(c.ctx, c.err) != c.code {
			t.Errorf("%v: exit code %d, want %d (-want +got):\n%s", c.err, exitCode(c.ctx, c.err), c.code, diff)
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
	testkit.Must(t, os.WriteFile(filepath.Join(dir, evil), []byte("mcp_servers = 1\n"), 0o600))
	for i, args := range [][]string{
		{evil}, {evil + "\xff"}, {"files", "cat", evil + "\xff"}, {"--" + evil}, {"files", evil}, {"files", "ls", evil, evil}, {"files", "ls", "--max-files", evil}, {"files", "ls", "--color=" + evil},
		{"files", "cat", evil}, {"files", "cat", "plan.md", "--version=" + evil}, {"files", "ls", "--db", evil}, {"files", "ls", "--db", evil + "/a"}, {"files", "ls", "--agent", evil},
		{"files", "write", "a", evil + evil}, {"files", "rm", evil}, {"files", "rm", evil, "--yes"}, {"files", "edit", "plan.md", evil}, {"files", "edit", "plan.md", evil, "b"},
		{"logs", "cat", evil}, {"logs", "append", evil, "x"}, {"logs", "rm", evil}, {"agents", "rm", evil, "--yes"}, {"agents", "rm", evil},
		{"backup", evil}, {"backup", evil + "/a"}, {"verify", "--db", evil}, {"client-config", evil}, {"client-config", "cursor", "--server-name", evil},
		{"client-config", "cursor", "--write", "--file", evil}, {"client-config", "cursor", "--write", "--file", evil + "/a"}, {"mcp", "--agent", evil},
		{"files", "summarize", "plan.md", "--summarizer", "openai", "--summary-base-url", evil}, {"files", "summarize", "plan.md", "--summary-model", evil, "--summarizer", "openai"},
	} {
		for _, asJSON := range []bool{false, true} {
			if asJSON != (i%2 == 0) && !testkit.Long() {
				continue // each command line once
			}
			before := []string{"--json=" + fmt.Sprint(asJSON)}
			o := runCommand(t, dir, []string{"SCRATCHPAD_DB=test.db"}, append(before, args...)...)
			if o.code == 0 || o.code == exitError && args[0] != "client-config" {
				t.Errorf("%q: exit code %d, %s", args, o.code, o.err)
			}
			if asJSON {
				failureIn(t, o)
			} else if lines := strings.SplitAfter(o.err, "\n"); len(lines) > 3 || len(lines) == 3 && !strings.HasPrefix(lines[1], "Try: scratchpad") {
				t.Errorf("%q: %q, want a line, and one that says what to try", args, o.err)
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
