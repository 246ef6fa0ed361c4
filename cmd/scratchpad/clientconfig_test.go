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
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	testKey   = "sk-ant-not-to-be-seen" // must appear only where the user asked for it
	haveKey   = "ANTHROPIC_API_KEY=" + testKey
	remoteKey = "sp_7kQ2mVx0_not-to-be-committed" // must not get into a file that somebody may commit
)

// The shell passes the printed command to Claude Code word for word. The printed path is the
// link on the PATH. A key is not in the list of processes.
func TestClientConfigShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no sh
	}
	dir := filepath.Join(t.TempDir(), "it's my bin")
	testkit.Must(t, errors.Join(os.Mkdir(dir, 0o755), os.Symlink(os.Args[0], filepath.Join(dir, "scratchpad")),
		os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\nfor a; do echo \"<$a>\"; done\n"), 0o755)))
	path := "PATH=" + dir + ":" + os.Getenv("PATH")
	start := "<--scope>\n<user>\n<scratchpad>\n<-->\n<" + dir + "/scratchpad>\n<mcp>\n"
	for args, want := range map[string]string{
		"--db a_b.db --agent me": start + "<--db>\n<" + dir + "/a_b.db>\n<--agent>\n<me>\n<--max-read-tokens>\n<20000>\n",
		"--agent me --pass-key": "<--env>\n<ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY}>\n" + start +
			"<--agent>\n<me>\n<--max-read-tokens>\n<20000>\n",
		"--url https://x.example/a'b/mcp": "<--transport>\n<http>\n<scratchpad>\n<https://x.example/a'b/mcp>\n" +
			"<--header>\n<Authorization: Bearer ${SCRATCHPAD_API_KEY}>\n",
	} {
		env := []string{path, haveKey, "SCRATCHPAD_API_KEY=" + remoteKey}
		o := runCommand(t, dir, env, append([]string{"client-config", "claude-code"}, strings.Fields(args)...)...)
		o.must(t, 0, `"mcpServers"`)
		cmd := exec.Command("sh", "-c", o.out)
		cmd.Env = env
		got, err := cmd.Output()
		testkit.Must(t, err)
		if diff := cmp.Diff("<mcp>\n<add>\n"+want, string(got)); diff != "" || strings.Contains(o.out+o.err, testKey) {
			t.Errorf("the words that claude gets (-want +got):\n%s", diff)
		}
	}
}

// remoteEntries are what each client's file has for a server at a URL.
var remoteEntries = map[string]string{
	"claude-code": `{"mcpServers":{"scratchpad":{"type":"http","url":"URL","headers":{"Authorization":"Bearer ${SCRATCHPAD_API_KEY}"}}}}`,
	"cursor":      `{"mcpServers":{"scratchpad":{"url":"URL","headers":{"Authorization":"Bearer ${env:SCRATCHPAD_API_KEY}"}}}}`,
	"vscode":      `{"servers":{"scratchpad":{"type":"http","url":"URL","headers":{"Authorization":"Bearer ${env:SCRATCHPAD_API_KEY}"}}}}`,
	"windsurf":    `{"mcpServers":{"scratchpad":{"serverUrl":"URL","headers":{"Authorization":"Bearer ${env:SCRATCHPAD_API_KEY}"}}}}`,
	"gemini-cli":  `{"mcpServers":{"scratchpad":{"httpUrl":"URL","headers":{"Authorization":"Bearer ${SCRATCHPAD_API_KEY}"}}}}`,
	"opencode":    `{"mcp":{"scratchpad":{"type":"remote","url":"URL","headers":{"Authorization":"Bearer {env:SCRATCHPAD_API_KEY}"}}}}`,
	"zed":         `{"context_servers":{"scratchpad":{"url":"URL","headers":{"Authorization":"Bearer ` + remoteKey + `"}}}}`,
	"cline":       `{"mcpServers":{"scratchpad":{"type":"streamableHttp","url":"URL","headers":{"Authorization":"Bearer ` + remoteKey + `"}}}}`,
	"codex":       "[mcp_servers.scratchpad]\nurl = 'URL'\nbearer_token_env_var = 'SCRATCHPAD_API_KEY'\n",
}

// passedKeys are what each client's entry has for a key that it passes.
var passedKeys = map[string]string{
	"claude-code": `"${ANTHROPIC_API_KEY}"`, "claude-desktop": `"` + testKey + `"`, "cursor": `"${env:ANTHROPIC_API_KEY}"`,
	"vscode": `"${env:ANTHROPIC_API_KEY}"`, "windsurf": `"${env:ANTHROPIC_API_KEY}"`, "codex": `env_vars = ['ANTHROPIC_API_KEY']`,
	"gemini-cli": `"${ANTHROPIC_API_KEY}"`, "opencode": `"environment": {`, "zed": `"` + testKey + `"`, "cline": `"` + testKey + `"`,
}

// Each client gets an entry in its own form: for this program, and for a server at a URL. Only a
// client that cannot refer to its environment gets a key itself. Nothing is written.
func TestClientConfig(t *testing.T) {
	dir := t.TempDir()
	for _, client := range clientconfig.Names() {
		run := func(args ...string) outcome {
			return runCommand(t, dir, []string{haveKey, "SCRATCHPAD_API_KEY=" + remoteKey, "HOME=" + dir}, append([]string{"client-config", client}, args...)...)
		}
		var a clientConfig
		o := run("--json", "--url", "https://memory.example.com")
		if remoteEntries[client] == "" {
			o.must(t, 2, "under Connectors")
		} else {
			testkit.Must(t, json.Unmarshal([]byte(o.out), &a))
			if diff := cmp.Diff(strings.ReplaceAll(remoteEntries[client], "URL", "https://memory.example.com/mcp"), compact(a.Snippet)); diff != "" || !filepath.IsAbs(a.File) {
				t.Errorf("%s at a URL, in %s (-want +got):\n%s", client, a.File, diff)
			}
		}
		of, memory := []string{"--agent", defaultAgent}, "Memory: agent default, for all projects."
		if folder := map[string]string{"claude-code": ".", "codex": ".", "gemini-cli": ".", "opencode": ".", "vscode": "${workspaceFolder}"}[client]; folder != "" {
			of, memory = []string{"--project", folder}, "Memory: each project has its own; --agent names one for all."
		}
		o = run()
		o.must(t, 0, dir, of[0], of[1], memory, "ANTHROPIC_API_KEY is set here", "--pass-key")
		if strings.Contains(o.out+o.err, testKey) || strings.Contains(o.out, "ANTHROPIC") || strings.HasPrefix(o.out, "{") && !json.Valid([]byte(o.out)) {
			t.Errorf("%s: %s%s", client, o.out, o.err)
		}
		o = run("--pass-key")
		if o.must(t, 0, passedKeys[client]); !strings.Contains(passedKeys[client], testKey) && strings.Contains(o.out+o.err, testKey) {
			t.Errorf("%s: the key is in what does not need it: %s%s", client, o.out, o.err)
		}
	}
	if left := contents(t, dir); len(left) > 0 {
		t.Errorf("printing has made %v", left)
	}
}

// compact returns a text without the space of JSON.
func compact(text string) string {
	if !strings.HasPrefix(text, "{") {
		return text
	}
	return strings.NewReplacer("\n", "", "  ", "", `": `, `":`, `", "`, `","`).Replace(text)
}

// What goes into the entry, and what is refused with the way out. A key that is given in a
// wrong place is not repeated.
func TestClientConfigArguments(t *testing.T) {
	dir := t.TempDir()
	const cursor, remote = "client-config cursor ", "client-config cursor --url https://x.example "
	for _, c := range []struct {
		variables, args string
		code            int
		say             string
	}{
		{"", cursor + "--db mem:", 0, `["mcp", "--db", "mem:", "--agent", "default", "--max-read-tokens", "20000"]`},
		{"", cursor + "--max-read-tokens 0", 0, `["mcp", "--agent", "default"]`},
		{"SCRATCHPAD_MAX_READ_TOKENS=7", cursor, 0, `"--max-read-tokens", "7"]`},
		{"", cursor + "--tools memory", 0, `"--max-read-tokens", "20000", "--tools", "memory"]`},
		{"", cursor + "--db postgres://?service=prod --commit-wait 1m", 0, `"--db", "postgres://?service=prod", "--agent", "default", "--commit-wait=1m0s"`},
		{"", cursor + "--max-read-tokens -1", 2, "must be a whole number from 0"},
		{"", "client-config emacs", 2, "one of"},
		{"", "client-config", 2, "client"},
		{"", cursor + "--agent a/b", 2, "--agent"},
		{"", cursor + "--db=", 2, "--db is empty"},
		{"ANTHROPIC_API_KEY= OPENAI_API_KEY=", cursor + "--pass-key", 2, "ANTHROPIC_API_KEY and OPENAI_API_KEY are not set here"},
		{haveKey, cursor + "--pass-key --summarizer outline", 2, "the server would need no key"},
		{haveKey, cursor + "--pass-key --summarizer openai --summary-base-url http://localhost:1/v1", 2, "OPENAI_API_KEY are not set here"},
		{"OPENAI_API_KEY=${OPENAI_API_KEY}", cursor + "--pass-key --summarizer openai --summary-base-url http://localhost:1/v1", 2, "OPENAI_API_KEY are not set here"},
		{"", remote + "--tools all", 2, "leave --agent, --tenant, --tools and --pass-key out"},
		{"", remote + "--agent a", 2, "leave --agent, --tenant, --tools and --pass-key out"},
		{"", cursor + "--url memory.example.com", 2, "https://memory.example.com/mcp"},
		{"", cursor + "--url https://x/mcp?a=1", 2, "https://memory.example.com/mcp"},
		{"", cursor + "--url https://me:" + remoteKey + "@x/mcp", 2, "https://memory.example.com/mcp"},
		{"", "client-config zed --url https://x.example", 0, "Bearer YOUR_KEY"},
		{"", "client-config zed --url https://x.example", 0, "Put the key in place of YOUR_KEY"},
		{"SCRATCHPAD_API_KEY=sp_x", "client-config zed --url http://127.0.0.1:8080", 0, "The entry contains the key"},
		{"", cursor + "--url http://[::1]:8080", 0, "http://[::1]:8080/mcp"},
		{"", cursor + "--url http://localhost", 0, "http://localhost/mcp"},
		{"", cursor + "--url http://x.example:8080", 0, "http sends the key to x.example without encryption"},
	} {
		o := runCommand(t, dir, append(strings.Fields(c.variables), "HOME="+dir), strings.Fields(c.args)...)
		if o.must(t, c.code, c.say); strings.Contains(o.out+o.err, "7kQ2mVx0") {
			t.Errorf("%s: it repeats the key: %s%s", c.args, o.out, o.err)
		}
		if strings.Contains(o.err, "without encryption") != strings.Contains(c.args, "http://x.") || strings.Contains(o.out+o.err, "YOUR_KEY") && strings.Contains(o.err, "contains the key") {
			t.Errorf("%s: it says %s", c.args, o.err)
		}
	}
}

// A program that go run made will be gone soon, so no client should start it.
func TestTemporaryProgram(t *testing.T) {
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
}

// The flags of the server go into the client's entry, and no others.
func TestClientConfigLimits(t *testing.T) {
	limits := "--paths=ascii "
	for i, l := range workspace.AllLimits() {
		if l.Of == store.StoreAgents {
			i = -1
		}
		limits += fmt.Sprintf("--max-%s=%d ", l.Name, i+1)
	}
	const summaries = "--summarizer=openai --summary-model=tiny --summary-base-url=http://localhost:11434/v1 --summary-timeout=1m30s " +
		"--summary-window=5000 --summary-tokens-per-month=6 --summary-allow-private=true"
	for args, want := range map[string]string{"--color never": "", limits: limits, summaries: summaries} {
		o := runCommand(t, t.TempDir(), nil, append([]string{"client-config", "cursor", "--json"}, strings.Fields(args)...)...)
		o.must(t, 0)
		var a clientConfig
		testkit.Must(t, json.Unmarshal([]byte(o.out), &a))
		all := slices.Concat([]string{"mcp", "--agent", "default"}, strings.Fields(want), []string{"--max-read-tokens", "20000"})
		if diff := cmp.Diff(all, a.Server.Args); diff != "" {
			t.Errorf("%v (-want +got):\n%s", args, diff)
		}
	}
}
