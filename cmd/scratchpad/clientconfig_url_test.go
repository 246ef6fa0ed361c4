package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// remoteKey is an API key that must not get into a file that somebody may commit.
const remoteKey = "sp_7kQ2mVx0_not-to-be-committed"

// remoteEntries are what each client's file has for a server at a URL.
var remoteEntries = map[string]string{
	"claude-code":    `{"mcpServers":{"scratchpad":{"type":"http","url":"URL","headers":{"Authorization":"Bearer ${TEAM_KEY}"}}}}`,
	"cursor":         `{"mcpServers":{"scratchpad":{"url":"URL","headers":{"Authorization":"Bearer ${env:TEAM_KEY}"}}}}`,
	"vscode":         `{"servers":{"scratchpad":{"type":"http","url":"URL","headers":{"Authorization":"Bearer ${env:TEAM_KEY}"}}}}`,
	"windsurf":       `{"mcpServers":{"scratchpad":{"serverUrl":"URL","headers":{"Authorization":"Bearer ${env:TEAM_KEY}"}}}}`,
	"codex":          "[mcp_servers.scratchpad]\nurl = 'URL'\nbearer_token_env_var = 'TEAM_KEY'\n",
	"claude-desktop": `{"mcpServers":{"scratchpad":{"command":"npx","args":["-y","mcp-remote@0.15.1","URL","--header","Authorization:${SCRATCHPAD_AUTHORIZATION}"],"env":{"SCRATCHPAD_AUTHORIZATION":"Bearer ` + remoteKey + `"}}}}`,
}

// Each client gets a server at a URL in its own form. Only Claude Desktop, which cannot
// refer to its environment, gets the key itself.
func TestClientConfigURL(t *testing.T) {
	testkit.SkipInShort(t)
	for _, client := range clientconfig.Names() {
		t.Run(client, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "client")
			run := func(args ...string) outcome {
				args = append([]string{"client-config", client, "--file", file, "--url", "https://memory.example.com", "--key-variable", "TEAM_KEY"}, args...)
				return runCommand(t, dir, []string{"TEAM_KEY=" + remoteKey, "HOME=" + dir, "XDG_DATA_HOME=" + dir}, args...)
			}
			want := strings.ReplaceAll(remoteEntries[client], "URL", "https://memory.example.com/mcp")
			run().must(t, 0, "Memory: that of the agents of the key.", "https://memory.example.com/mcp")
			written := run("--write")
			written.must(t, 0, "scratchpad: added to")
			if diff := cmp.Diff(want, plain(t, file)); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
			if strings.Contains(written.out+written.err+run("--write", "--json").out, remoteKey) {
				t.Errorf("the key is shown: %s%s", written.out, written.err)
			}
			info, err := os.Stat(file)
			testkit.Must(t, err)
			inside := strings.Contains(testkit.ReadFile(t, file), remoteKey)
			if inside != (client == "claude-desktop") || inside && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("the key is in the file: %v, with mode %v", inside, info.Mode())
			}
			if say := "refers to TEAM_KEY"; inside {
				written.must(t, 0, "contains the key", "Node.js")
			} else {
				written.must(t, 0, say)
			}
			run("--write").must(t, 0, "nothing to change")
			if left := contents(t, dir); len(left) != 1 {
				t.Errorf("the folder has %v", left)
			}
			if client == "claude-desktop" {
				runCommand(t, dir, nil, "client-config", client, "--url", "https://x.example").must(t, 2, "set SCRATCHPAD_API_KEY here", "Connectors")
				return // for the client it is a program like any other
			}
			// A server of the other kind under the name stays.
			runCommand(t, dir, []string{"XDG_DATA_HOME=" + dir}, "client-config", client, "--file", file, "--write").must(t, 4, "at a URL", "--server-name")
			testkit.Must(t, os.Remove(file))
			runCommand(t, dir, []string{"XDG_DATA_HOME=" + dir}, "client-config", client, "--file", file, "--write").must(t, 0)
			run("--write").must(t, 4, "that the client starts", "--server-name")
		})
	}
}

// plain returns a file without the space of JSON.
func plain(t *testing.T, file string) string {
	t.Helper()
	text := testkit.ReadFile(t, file)
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !strings.HasPrefix(text, "{") {
		return text
	}
	for _, r := range []string{"\n", "  "} {
		text = strings.ReplaceAll(text, r, "")
	}
	return strings.NewReplacer(`": `, `":`, `", "`, `","`).Replace(text)
}

// A second URL replaces the first. The header of the user goes, and is not shown.
func TestClientConfigURLAgain(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "client")
	writeFile(t, file, `{"mcpServers": {"scratchpad": {"url": "https://old.example/mcp", "headers": {"X-Mine": "1", "Authorization": "Bearer sp_old"}}}}`)
	o := runCommand(t, dir, nil, "client-config", "cursor", "--file", file, "--write", "--url", "http://127.0.0.1:4321/")
	o.must(t, 0, `url was "https://old.example/mcp", is "http://127.0.0.1:4321/mcp"`, "headers Authorization is set")
	if strings.Contains(o.out+o.err, "sp_old") || strings.Contains(o.err, "Beware") {
		t.Errorf("it says %s%s", o.out, o.err)
	}
	const want = `{"mcpServers": {"scratchpad": {"url": "http://127.0.0.1:4321/mcp", "headers": {"X-Mine": "1", "Authorization": "Bearer ${env:SCRATCHPAD_API_KEY}"}}}}`
	if diff := cmp.Diff(want, testkit.ReadFile(t, file)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	writeFile(t, file, "[mcp_servers.scratchpad] # mine\nurl = \"https://old.example/mcp\" # why\nenabled = true\n")
	runCommand(t, dir, nil, "client-config", "codex", "--file", file, "--write", "--url", "https://new.example").must(t, 0, "url was")
	if got, want := testkit.ReadFile(t, file), "[mcp_servers.scratchpad] # mine\nbearer_token_env_var = 'SCRATCHPAD_API_KEY'\nurl = 'https://new.example/mcp' # why\nenabled = true\n"; got != want {
		t.Errorf("the file has %q, want %q", got, want)
	}
}

// What cannot be right is refused with the way out. A key that is given in a wrong place
// is not repeated.
func TestClientConfigURLRefuses(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	run := func(args ...string) outcome {
		return runCommand(t, dir, nil, append([]string{"client-config", "cursor"}, args...)...)
	}
	for _, wrong := range []string{"memory.example.com", "ftp://x/mcp", "https://", "https://x/mcp?a=1", "https://x/#a", "://", "https://x/\x01", "https://me:" + remoteKey + "@x/mcp", "https://x/" + strings.Repeat("a", 2000)} {
		o := run("--url", wrong)
		if o.must(t, 2, "--url ", "https://memory.example.com/mcp"); strings.Contains(o.err, remoteKey) {
			t.Errorf("the error repeats a password: %s", o.err)
		}
	}
	const at = "https://x.example"
	for _, wrong := range []string{remoteKey, "sp_7kQ2mVx0", "A B", "1A", "${A}", "A}\n"} {
		o := run("--url", at, "--key-variable", wrong)
		if o.must(t, 2, "not the name of an environment variable"); strings.Contains(o.err, "7kQ2mVx0") {
			t.Errorf("the error repeats the key: %s", o.err)
		}
	}
	run("--url", at, "--pass-key").must(t, 2, "--pass-key")
	run("--url", at, "--agent", "a").must(t, 2, "leave --agent and --tenant out")
	runCommand(t, dir, nil, "client-config", "claude-code", "--hook", "--url", at).must(t, 2, "--hook")
	run("--url", "http://10.0.0.1:4321").must(t, 0, "Beware: http sends the key without encryption to 10.0.0.1")
	o := run("--url", "http://10.0.0.1:4321", "--key-variable", "")
	if o.must(t, 0, "because the server wants no key"); strings.Contains(o.out+o.err, "Authorization") || strings.Contains(o.err, "Beware") {
		t.Errorf("without a key: %s%s", o.out, o.err)
	}
}

// The shell passes the printed command to Claude Code word for word.
func TestClientConfigURLShell(t *testing.T) {
	testkit.SkipInShort(t)
	if runtime.GOOS == "windows" {
		return // it has no sh
	}
	dir := t.TempDir()
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\nfor a; do echo \"<$a>\"; done\n"), 0o755))
	o := runCommand(t, dir, nil, "client-config", "claude-code", "--url", "https://x.example/a'b/mcp")
	o.must(t, 0)
	cmd := exec.Command("sh", "-c", o.out)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "SCRATCHPAD_API_KEY=" + remoteKey}
	got, err := cmd.Output()
	testkit.Must(t, err)
	want := "<mcp>\n<add>\n<--transport>\n<http>\n<scratchpad>\n<https://x.example/a'b/mcp>\n<--header>\n<Authorization: Bearer ${SCRATCHPAD_API_KEY}>\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the words that claude gets (-want +got):\n%s", diff)
	}
}
