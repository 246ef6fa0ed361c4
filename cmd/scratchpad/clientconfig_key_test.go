package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// testKey is a key that must appear only where the user asked for it.
const testKey = "sk-ant-not-to-be-seen"

const haveKey = "ANTHROPIC_API_KEY=" + testKey

// A key goes into a client's entry only with --pass-key. The entry contains the key
// itself only if the client cannot refer to its environment.
func TestPassKey(t *testing.T) {
	testkit.SkipInShort(t)
	const inJSON = `"ANTHROPIC_API_KEY": "`
	for client, want := range map[string]string{
		"claude-code": inJSON + `${ANTHROPIC_API_KEY}"`, "claude-desktop": inJSON + testKey + `"`, "cursor": inJSON + `${env:ANTHROPIC_API_KEY}"`,
		"vscode": inJSON + `${env:ANTHROPIC_API_KEY}"`, "windsurf": inJSON + `${env:ANTHROPIC_API_KEY}"`, "codex": `env_vars = ['ANTHROPIC_API_KEY']`,
	} {
		t.Run(client, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "client")
			run := func(args ...string) outcome {
				return runCommand(t, dir, []string{haveKey, "HOME=" + dir}, append([]string{"client-config", client, "--file", file}, args...)...)
			}
			without := run()
			without.must(t, 0, "ANTHROPIC_API_KEY is set here", "--pass-key")
			if strings.Contains(without.out+without.err, testKey) || strings.Contains(without.out, "ANTHROPIC") {
				t.Errorf("without --pass-key it prints %q, %q", without.out, without.err)
			}
			printed := run("--pass-key")
			printed.must(t, 0, want)
			written := run("--pass-key", "--write", "--json")
			written.must(t, 0, "ANTHROPIC_API_KEY")
			if got := testkit.ReadFile(t, file); !strings.Contains(got, want) {
				t.Errorf("the file has %s, want %s", got, want)
			}
			if strings.Contains(written.out+written.err, testKey) || client != "claude-desktop" && strings.Contains(testkit.ReadFile(t, file)+printed.out, testKey) {
				t.Errorf("the key is in what does not need it: %s%s", written.out, testkit.ReadFile(t, file))
			}
			info, err := os.Stat(file)
			if client == "claude-desktop" && runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("mode %v, %v of a file with a key, want 0600", info.Mode(), err)
			}
			run("--pass-key", "--write").must(t, 0, "nothing to change")
			run("--write").must(t, 0, "nothing to change")
			runCommand(t, dir, nil, "client-config", client, "--pass-key").must(t, 2, "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set")
			run("--pass-key", "--summarizer", "outline").must(t, 2, "--summarizer outline uses no key")
			local := []string{"--pass-key", "--summarizer", "openai", "--summary-base-url", "http://localhost:11434/v1"}
			run(local...).must(t, 2, "OPENAI_API_KEY is not set here")
			runCommand(t, dir, []string{"OPENAI_API_KEY=${OPENAI_API_KEY}"}, append([]string{"client-config", client}, local...)...).must(t, 2, "OPENAI_API_KEY is not set here")
		})
	}
}

// The other variables of an entry stay. An old key is replaced and never shown.
func TestPassKeyAmongOthers(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "client")
	write := func(client string) outcome {
		o := runCommand(t, dir, []string{haveKey}, "client-config", client, "--file", file, "--pass-key", "--write")
		o.must(t, 0, "ANTHROPIC_API_KEY")
		if strings.Contains(o.out+o.err, testKey) || strings.Contains(o.out+o.err, "sk-old") {
			t.Errorf("it shows a key: %s%s", o.out, o.err)
		}
		return o
	}
	writeFile(t, file, `{"mcpServers": {"scratchpad": {"env": {"A": "1", "ANTHROPIC_API_KEY": "sk-old"}}}}`)
	testkit.Must(t, os.Chmod(file, 0o644))
	if o := write("claude-desktop"); runtime.GOOS != "windows" {
		o.must(t, 0, "mode 0600")
		for _, name := range append(backups(t, file), file) {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: mode %v, %v, want 0600", name, info.Mode(), err)
			}
		}
		testkit.Must(t, os.Chmod(file, 0o664))
		again := func() outcome {
			return runCommand(t, dir, []string{haveKey}, "client-config", "claude-desktop", "--file", file, "--pass-key", "--write")
		}
		again().must(t, 0, "mode 0600") // the key was there
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
		}
		again().must(t, 0, "nothing to change")
	}
	var all struct {
		McpServers map[string]struct{ Env map[string]string }
	}
	testkit.Must(t, json.Unmarshal([]byte(testkit.ReadFile(t, file)), &all))
	if diff := cmp.Diff(map[string]string{"A": "1", "ANTHROPIC_API_KEY": testKey}, all.McpServers["scratchpad"].Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	writeFile(t, file, "[mcp_servers.scratchpad]\nenv_vars = [\"A\"] # mine\ncommand = 'x'\n")
	write("codex")
	if got := testkit.ReadFile(t, file); !strings.Contains(got, "env_vars = ['A', 'ANTHROPIC_API_KEY'] # mine\n") {
		t.Errorf("the file has %s", got)
	}
	for client, text := range map[string]string{
		"codex": "[mcp_servers.scratchpad]\nenv_vars = [{ name = \"A\" }]\n", "claude-desktop": `{"mcpServers": {"scratchpad": {"env": {"ANTHROPIC_API_KEY": {/* one */}}}}}`,
	} {
		writeFile(t, file, text)
		o := runCommand(t, dir, []string{haveKey}, "client-config", client, "--file", file, "--pass-key", "--write")
		o.must(t, 1, "by hand", "ANTHROPIC_API_KEY")
		if testkit.ReadFile(t, file) != text || strings.Contains(o.err, testKey) {
			t.Errorf("it shows %s, and the file has %s", o.err, testkit.ReadFile(t, file))
		}
	}
}

// The command for Claude Code names the variable, so that the key is not in the list of
// processes.
func TestPassKeyShell(t *testing.T) {
	testkit.SkipInShort(t)
	if runtime.GOOS == "windows" {
		return // it has no sh
	}
	dir := t.TempDir()
	testkit.Must(t, errors.Join(os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\necho \"$@\"\n"), 0o755)))
	o := runCommand(t, dir, []string{haveKey}, "client-config", "claude-code", "--pass-key")
	o.must(t, 0)
	if strings.Contains(o.out+o.err, testKey) {
		t.Errorf("the key is printed: %s%s", o.out, o.err)
	}
	cmd := exec.Command("sh", "-c", o.out)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), haveKey}
	got, err := cmd.Output()
	if want := "mcp add --env ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY} --transport stdio scratchpad -- "; err != nil || !strings.HasPrefix(string(got), want) {
		t.Errorf("claude gets %q, %v, want %q", got, err, want)
	}
}
