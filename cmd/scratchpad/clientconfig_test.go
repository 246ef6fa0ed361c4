package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The shell passes the printed command to the client word for word, and the printed
// path is the link on the PATH.
func TestClientConfigShell(t *testing.T) {
	testkit.SkipInShort(t)
	if runtime.GOOS == "windows" {
		return // it has no sh
	}
	dir := filepath.Join(t.TempDir(), "it's my bin")
	testkit.Must(t, errors.Join(os.Mkdir(dir, 0o755), os.Symlink(os.Args[0], filepath.Join(dir, "scratchpad"))))
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\nfor a; do echo \"<$a>\"; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + dir + ":" + os.Getenv("PATH")
	o := runCommand(t, dir, []string{path}, "client-config", "claude-code", "--db", "a b.db", "--agent", "me")
	o.must(t, 0, `"mcpServers"`, "--write does that")
	cmd := exec.Command("sh", "-c", o.out)
	cmd.Env = []string{path}
	got, err := cmd.Output()
	testkit.Must(t, err)
	want := "<mcp>\n<add>\n<scratchpad>\n<-->\n<" + dir + "/scratchpad>\n<mcp>\n<--db>\n<" + dir + "/a b.db>\n<--agent>\n<me>\n<--max-read-tokens>\n<20000>\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the words that claude gets (-want +got):\n%s", diff)
	}
	// What was printed is the program.
	var a clientConfig
	if err := json.Unmarshal([]byte(runCommand(t, dir, []string{path}, "client-config", "cursor", "--json").out), &a); err != nil || a.Server.Command != dir+"/scratchpad" {
		t.Errorf("--json: %v, %+v", err, a)
	}
}

func TestClientConfigPrints(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	for _, name := range clientconfig.Names() {
		o := runCommand(t, dir, []string{"HOME=" + dir}, "client-config", name)
		agent := defaultAgent
		if name == "claude-code" || name == "vscode" {
			agent = filepath.Base(dir) // the project's
		}
		o.must(t, 0, dir, "--agent", agent, "Memory: agent "+agent)
		if strings.HasPrefix(o.out, "{") {
			var v any
			if err := json.Unmarshal([]byte(o.out), &v); err != nil {
				t.Errorf("%s: standard output is no JSON: %v\n%s", name, err, o.out)
			}
		}
	}
	runCommand(t, dir, nil, "client-config", "cursor", "--db", "mem:").must(t, 0, `["mcp", "--db", "mem:", "--agent", "default", "--max-read-tokens", "20000"]`)
	runCommand(t, dir, nil, "client-config", "cursor", "--max-read-tokens", "0").must(t, 0, `["mcp", "--agent", "default"]`)
	runCommand(t, dir, []string{"SCRATCHPAD_MAX_READ_TOKENS=7"}, "client-config", "cursor").must(t, 0, `"--max-read-tokens", "7"]`)
	runCommand(t, dir, nil, "client-config", "cursor", "--max-read-tokens", "-1").must(t, 2, "must be a whole number from 0")
	runCommand(t, dir, nil, "client-config", "cursor", "--tools", "memory").must(t, 0, `"--max-read-tokens", "20000", "--tools", "memory"]`)
	runCommand(t, dir, nil, "client-config", "cursor", "--tools", "all", "--url", "https://example.com").must(t, 2, "give it to scratchpad serve")
	runCommand(t, dir, nil, "client-config", "emacs").must(t, 2, "claude-desktop", "codex", "emacs")
	runCommand(t, dir, nil, "client-config").must(t, 2, "client")
	runCommand(t, dir, nil, "client-config", "cursor", "--agent", "a b").must(t, 2, "--agent")
	runCommand(t, dir, nil, "client-config", "cursor", "--db", "").must(t, 2, "--db is empty")
	runCommand(t, dir, nil, "client-config", "codex", "--server-name", "a.b").must(t, 2, "--server-name must be 1-64 of")
	if left := contents(t, dir); len(left) > 0 {
		t.Errorf("printing has made %v", left)
	}
}

// backups returns the copies beside a file.
func backups(t *testing.T, name string) []string {
	t.Helper()
	found, err := filepath.Glob(name + ".bak-*")
	testkit.Must(t, err)
	return found
}

func TestClientConfigWrite(t *testing.T) {
	dir, data := t.TempDir(), []string{"XDG_DATA_HOME=" + t.TempDir()}
	file := filepath.Join(dir, ".vscode", "mcp.json")
	runCommand(t, dir, data, "client-config", "vscode", "--write").must(t, 0, file, "scratchpad: added to servers", "Restart VS Code")
	if len(backups(t, file)) != 0 || !strings.Contains(testkit.ReadFile(t, file), `"type": "stdio"`) {
		t.Errorf("%s, backups %v; want the server and no backup", testkit.ReadFile(t, file), backups(t, file))
	}
	first := testkit.ReadFile(t, file)
	runCommand(t, dir, data, "client-config", "vscode", "--write").must(t, 0, "nothing to change")
	if len(backups(t, file)) != 0 || testkit.ReadFile(t, file) != first {
		t.Error("a second time changes something")
	}
	testkit.Must(t, os.Chmod(file, 0o640))
	var saved []string
	for _, agent := range []string{"one", "two", "three"} { // within a second, maybe
		saved = append(saved, testkit.ReadFile(t, file))
		runCommand(t, dir, data, "client-config", "vscode", "--write", "--agent", agent).must(t, 0, "scratchpad: args was", `"`+agent+`"`, ".bak-")
	}
	var kept []string
	for _, name := range backups(t, file) {
		kept = append(kept, testkit.ReadFile(t, name))
	}
	for _, s := range saved {
		if !strings.Contains(strings.Join(kept, ""), s) || len(kept) != 3 {
			t.Errorf("of 3 states %d are kept", len(kept))
		}
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
	if left := contents(t, filepath.Dir(file)); len(left) != 4 {
		t.Errorf("the folder holds %v", left)
	}
}

// Processes that write to one file at once take turns. In the end the file has the
// servers of all of them, also if it is new or reached by a link.
func TestClientConfigAtOnce(t *testing.T) {
	const writers = 8
	for name, client := range map[string]string{"new.json": "cursor", "old.json": "cursor", "old.toml": "codex", "link.json": "claude-desktop"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, name)
			switch name {
			case "old.json":
				writeFile(t, file, `{"mcpServers": {"mine": {"command": "x"}}}`)
			case "old.toml":
				writeFile(t, file, "model = 'x'\n")
			case "link.json":
				writeFile(t, file+"-real", "{}")
				if err := os.Symlink(file+"-real", file); err != nil {
					t.Skip("no links: ", err)
				}
			}
			outcomes := make([]outcome, writers)
			var wg sync.WaitGroup
			for i := range writers {
				to := file
				if i%2 == 1 && name == "link.json" {
					to += "-real"
				}
				wg.Go(func() {
					outcomes[i] = runCommand(t, dir, nil, "client-config", client, "--write", "--file", to, "--server-name", fmt.Sprint("server-", i))
				})
			}
			wg.Wait()
			text := testkit.ReadFile(t, file)
			for i, o := range outcomes {
				if o.code != 0 || !strings.Contains(text, fmt.Sprint("server-", i)) {
					t.Errorf("server-%d: exit code %d, %s", i, o.code, o.err)
				}
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
				t.Errorf("%v, left behind: %v", err, left)
			}
		})
	}
}

// A link stays a link, and the file that it leads to is edited.
func TestClientConfigLink(t *testing.T) {
	dir := t.TempDir()
	real, name := filepath.Join(dir, "dotfiles", "config.toml"), filepath.Join(dir, "config.toml")
	testkit.Must(t, errors.Join(os.Mkdir(filepath.Dir(real), 0o755), os.Symlink(real, name)))
	runCommand(t, dir, nil, "client-config", "codex", "--write", "--file", name).must(t, 2, "leads nowhere")
	writeFile(t, real, "model = \"x\" # mine\n")
	o := runCommand(t, dir, []string{"SCRATCHPAD_CLIENT_CONFIG_WRITE=1"}, "client-config", "codex", "--file", name, "--json")
	o.must(t, 0)
	var a clientConfig
	if err := json.Unmarshal([]byte(o.out), &a); err != nil || len(a.Changed) != 1 || testkit.ReadFile(t, a.Backup) != "model = \"x\" # mine\n" {
		t.Errorf("--json: %v, %s", err, o.out)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info, err)
	}
	if text := testkit.ReadFile(t, real); !strings.HasPrefix(text, "model = \"x\" # mine\n\n[mcp_servers.scratchpad]\n") {
		t.Errorf("the file holds %q", text)
	}
}

// A program that go run made will be gone soon, so no client's file may name it.
func TestClientConfigTemporary(t *testing.T) {
	testkit.SkipInShort(t)
	for program, want := range map[string]bool{
		"/tmp/go-build123/b001/exe/scratchpad":                    true,
		"/home/me/.cache/go-build/ab/x-d/scratchpad":              true,
		`C:\Temp\go-build1\b001\exe\scratchpad.exe`:               true,
		"/cache/ab/" + strings.Repeat("ab", 32) + "-d/scratchpad": true,
		"/home/me/go-builds/scratchpad":                           false,
		"/usr/local/bin/scratchpad":                               false,
	} {
		if got := native.IsTemporary(program); got != want {
			t.Errorf("native.IsTemporary(%s) = %v, want %v", program, got, want)
		}
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "go-build1", "scratchpad")
	if err := errors.Join(os.Mkdir(filepath.Dir(program), 0o755), os.Link(os.Args[0], program)); err != nil {
		t.Skip("no second name for the program: ", err)
	}
	run := func(args ...string) outcome {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, environ("HOME="+dir, "XDG_DATA_HOME="+dir, "PATH=")
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	}
	run("client-config", "vscode").must(t, 0, "Beware", program)
	run("client-config", "vscode", "--write").must(t, 2, "go install ./cmd/scratchpad first")
	if _, err := os.Stat(filepath.Join(dir, ".vscode")); err == nil {
		t.Error("the client's file was made")
	}
}

func TestClientConfigDamaged(t *testing.T) {
	dir := t.TempDir()
	for client, text := range map[string]string{"cursor": "{\"mcpServers\": {\n", "codex": "[mcp_servers\n"} {
		writeFile(t, filepath.Join(dir, client), text)
		before := contents(t, dir)
		runCommand(t, dir, nil, "client-config", client, "--write", "--file", client).must(t, 2, "it is not valid", "line ", "mend it first")
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Errorf("the folder has changed (-before +after):\n%s", diff)
		}
	}
	before := contents(t, dir)
	runCommand(t, dir, nil, "client-config", "cursor", "--write", "--file", "-").must(t, 2, "cannot be standard output")
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	runCommand(t, dir, nil, "client-config", "cursor", "--write", "--file", "folder").must(t, 2, "folder is not a regular file")
}

// The flags of the server go into the client's entry, except those with their default.
func TestClientConfigLimits(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		variables, args []string
		want            []string // after --agent default
	}{
		{nil, []string{"--max-versions", "10", "--paths", "ascii"}, nil},
		{[]string{"SCRATCHPAD_MAX_ENTRIES=6"}, []string{"--max-file-bytes=1", "--max-entry-bytes=2", "--max-versions=3", "--max-files=4", "--max-logs=5", "--max-bytes=7", "--max-agents=0", "--max-total-bytes=8", "--paths=unicode"},
			[]string{"--max-file-bytes", "1", "--max-entry-bytes", "2", "--max-versions", "3", "--max-files", "4", "--max-logs", "5", "--max-entries", "6", "--max-bytes", "7", "--max-agents", "0", "--max-total-bytes", "8", "--paths", "unicode"}},
		{[]string{"SCRATCHPAD_SUMMARY_WINDOW=5000"}, []string{"--summarizer=openai", "--summary-model=tiny", "--summary-base-url=http://localhost:11434/v1", "--summary-timeout=90s", "--summary-tokens-per-month=6", "--summary-allow-private"},
			[]string{"--summarizer", "openai", "--summary-model", "tiny", "--summary-base-url", "http://localhost:11434/v1", "--summary-timeout", "1m30s", "--summary-window", "5000", "--summary-tokens-per-month", "6", "--summary-allow-private"}},
	} {
		o := runCommand(t, dir, c.variables, append([]string{"client-config", "cursor", "--json"}, c.args...)...)
		o.must(t, 0)
		var a clientConfig
		testkit.Must(t, json.Unmarshal([]byte(o.out), &a))
		want := slices.Concat([]string{"mcp", "--agent", "default"}, c.want, []string{"--max-read-tokens", "20000"})
		if diff := cmp.Diff(want, a.Server.Args); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.args, diff)
		}
	}
}
