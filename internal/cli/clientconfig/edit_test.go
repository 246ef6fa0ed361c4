package clientconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// added returns the content of a file with the server, and what has changed.
func added(f format, old string) ([]byte, []string, error) {
	return Client{format: f}.AddServer("", "scratchpad", testServer).edit([]byte(old))
}

func removed(f format, old []byte) ([]byte, []string, error) {
	return Client{format: f}.RemoveServer("", "scratchpad").edit(old)
}

func read(f format, text []byte) (s Server, found bool, err error) {
	e, err := Client{format: f}.EntryIn("", text, "scratchpad")
	s, found = e.Server()
	return s, found, err
}

// Nobody can see a byte order mark, so the error names it.
func TestByteOrderMark(t *testing.T) {
	for _, f := range []format{jsonFormat{key: "mcpServers"}, tomlFormat{}} {
		for _, text := range []string{"\ufeff{}", "\ufeffa = 1", "\ufeff", "\xff\xfe{\x00}\x00", "\xfe\xff\x00{\x00}"} {
			if got, _, err := added(f, text); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "it begins with a byte order mark") || len(got) > 0 {
				t.Errorf("%q: %q, %v", text, got, err)
			}
		}
	}
}

// What is added and removed again leaves all else in the file, but for spaces, lines and a last comma.
func TestRemoveServer(t *testing.T) {
	json, toml := jsonFormat{key: "mcpServers"}, tomlFormat{}
	for _, c := range []struct {
		format    format
		old, want string // want: "" as old
	}{
		{json, "{}\n", "{\n}\n"},
		{json, "", "{\n}\n"},
		{json, "{\"a\": 1 }", ""},
		{json, "{\n  // mine\n  \"theme\": \"dark\" // really\n}\n", ""},
		{json, "{\n  \"mcpServers\": {\n    // \"old\": {}\n  }\n}\n", ""},
		{
			json, "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"} // keep\n    /* \"old\": {} */\n  }\n}\n", "",
		},
		{json, "{\n  \"mcpServers\": {\n    \"a\": {},\n  },\n}\n", "{\n  \"mcpServers\": {\n    \"a\": {}\n  },\n}\n"},
		{toml, "a = nan\nb = [-nan, {c = +nan}]\n", "a = nan\nb = [-nan, {c = +nan}]\n\n"},
		{toml, "", ""},
		{toml, "model = \"x\"\r\n[mcp_servers.b]\r\ncommand = \"y\"\r\n", "model = \"x\"\r\n[mcp_servers.b]\r\ncommand = \"y\"\r\n\r\n"},
		{toml, "[mcp_servers.other]\ncommand = \"y\"\n# the end\n", "[mcp_servers.other]\ncommand = \"y\"\n# the end\n\n"},
	} {
		if c.want == "" {
			c.want = c.old
		}
		with, _, err := added(c.format, c.old)
		testkit.Must(t, err)
		s, found, err := read(c.format, with)
		if diff := cmp.Diff(testServer, s); err != nil || !found || diff != "" {
			t.Errorf("%q: read %v, %v (-want +got):\n%s", c.old, found, err, diff)
		}
		got, changed, err := removed(c.format, with)
		if err != nil || len(changed) != 1 {
			t.Errorf("%q: %v, %v", c.old, changed, err)
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.old, diff)
		}
		same, changed, err := removed(c.format, []byte(c.old))
		if err != nil || len(changed) != 0 || string(same) != c.old {
			t.Errorf("%q without the server: %q, %v, %v", c.old, same, changed, err)
		}
		if _, found, err := read(c.format, []byte(c.old)); found || err != nil {
			t.Errorf("%q without the server: found %v, %v", c.old, found, err)
		}
	}
}

// Whatever else a user has written around the entry stays.
func TestRemoveServerBetween(t *testing.T) {
	for _, c := range []struct {
		format    format
		old, want string
	}{
		{jsonFormat{key: "servers"}, `{"servers": {"a": {} , "scratchpad": {"command": "x"}}}`, `{"servers": {"a": {}  }}`},
		{jsonFormat{key: "servers"}, `{"servers": {/* a */ "a": {}, /* x */ "scratchpad": {"command": "x"}, "b": {}}}`, `{"servers": {/* a */ "a": {}, /* x */  "b": {}}}`},
		{jsonFormat{key: "servers"}, "{\"servers\": {\"a\": {},\n // b: {}\n \"scratchpad\": {},\n // c: {}\n\n \"d\": {}}}", "{\"servers\": {\"a\": {},\n // b: {}\n // c: {}\n\n \"d\": {}}}"},
		{jsonFormat{key: "servers"}, "{ // s\n \"servers\": { // b: {}\n \"scratchpad\": {} }, // t\n \"d\": {}}", "{ // s\n \"servers\": { // b: {}\n  }, // t\n \"d\": {}}"},
		{jsonFormat{key: "servers"}, "{\"servers\": {\"a\": {}, // x\n \"scratchpad\": {\"command\": \"x\"}}}", "{\"servers\": {\"a\": {} // x\n }}"},
		{
			tomlFormat{}, "a = 1\n\n[mcp_servers.scratchpad] # ours\ncommand = 'x' # why\n\n[mcp_servers.scratchpad.env]\nA = '1'\n\n# of b\n[mcp_servers.b]\ncommand = 'b'\n",
			"a = 1\n\n# of b\n[mcp_servers.b]\ncommand = 'b'\n",
		},
		{tomlFormat{}, "[mcp_servers]\nb = {command = 'b'}\n[mcp_servers.scratchpad]\ncommand = 'x'", "[mcp_servers]\nb = {command = 'b'}\n"},
	} {
		got, _, err := removed(c.format, []byte(c.old))
		testkit.Must(t, err)
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.old, diff)
		}
	}
	for _, inline := range []string{"mcp_servers = {scratchpad = {command = 'x'}}\n", "[mcp_servers]\nscratchpad.command = 'x'\n"} {
		_, _, err := removed(tomlFormat{}, []byte(inline))
		if !errors.Is(err, ErrByHand) || !strings.Contains(err.Error(), "remove scratchpad from mcp_servers by hand") {
			t.Errorf("%q: %v, want ErrByHand", inline, err)
		}
	}
}

func TestHook(t *testing.T) {
	command := HookCommand("/opt/scratchpad", "--tenant", "shop")
	if command != `"/opt/scratchpad" hook --tenant shop` { // the same for ever
		t.Fatal(command)
	}
	const own = `{"matcher": "startup|resume|clear|compact", "hooks": [{"type": "command", "command": "\"/opt/scratchpad\" hook --tenant shop", "timeout": 10}]}`
	for _, c := range []struct{ old, want, removed string }{
		{"", "{\n  \"hooks\": {\n    \"SessionStart\": [\n      " + own + "\n    ]\n  }\n}\n", "{\n}\n"},
		{
			"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]} // mine\n    ],\n    \"Stop\": []\n  }\n}\n",
			"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}, // mine\n      " + own + "\n    ],\n    \"Stop\": []\n  }\n}\n",
			"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]} // mine\n    ],\n    \"Stop\": []\n  }\n}\n",
		},
		{
			"{\n  \"hooks\": {\n    \"Stop\": [], // x\n  },\n}\n", "{\n  \"hooks\": {\n    \"Stop\": [], // x\n    \"SessionStart\": [\n      " + own + "\n    ]\n  },\n}\n",
			"{\n  \"hooks\": {\n    \"Stop\": [] // x\n  },\n}\n",
		},
	} {
		got, changed, err := AddHook("", command).edit([]byte(c.old))
		if diff := cmp.Diff(c.want, string(got)); err != nil || len(changed) != 1 || diff != "" {
			t.Errorf("%q: %v, %v (-want +got):\n%s", c.old, changed, err, diff)
		}
		again, changed, err := AddHook("", command).edit(got)
		if err != nil || len(changed) != 0 || string(again) != string(got) {
			t.Errorf("%q: a second time: %v, %v, %s", c.old, changed, err, again)
		}
		moved, changed, err := AddHook("", HookCommand("/new/scratchpad")).edit(got)
		if want := strings.ReplaceAll(c.want, `\"/opt/scratchpad\" hook --tenant shop`, `\"/new/scratchpad\" hook`); err != nil || len(changed) != 1 || string(moved) != want {
			t.Errorf("%q: another command: %v, %v, %s", c.old, changed, err, moved)
		}
		removed, _, err := RemoveHook("").edit(moved)
		if diff := cmp.Diff(c.removed, string(removed)); err != nil || diff != "" {
			t.Errorf("%q: removed: %v (-want +got):\n%s", c.old, err, diff)
		}
	}
	for _, odd := range []string{`{"hooks": 1}`, `{"hooks": {"SessionStart": {}}}`, `{`, `[]`} {
		if _, _, err := AddHook("", command).edit([]byte(odd)); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: %v, want store.ErrInvalid", odd, err)
		}
	}
	twice := `{"hooks": {"SessionStart": [{"hooks": [{"command": "date"}], "hooks": [{"type": "command", "command": "\"/opt/scratchpad\" hook"}]}]}}`
	if got, _, err := RemoveHook("").edit([]byte(twice)); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("two lists of hooks: %s, %v, want store.ErrInvalid", got, err)
	}
	// What a user has made of it is the user's.
	mixed := `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "/opt/scratchpad brief --mark claude-code; date"}, 7, {"command": null}]}, 8]}}`
	if got, changed, err := RemoveHook("").edit([]byte(mixed)); err != nil || len(changed) != 0 || string(got) != mixed {
		t.Errorf("another's hook: %s, %v, %v", got, changed, err)
	}
}

// A program whose path has characters of the shell is known again.
func TestHookQuoted(t *testing.T) {
	for _, program := range []string{`/opt/R&D;x|y/scratchpad`, `/a'b;c/scratchpad`, `/$c/scratchpad`, `C:/R&D/scratchpad.exe`, "/a\nb/scratchpad", `/a"b/scratchpad`, "'/a;b' brief --mark claude-code"} {
		command := HookCommand(program)
		if strings.Contains(program, "brief") {
			command = program // of an older setup
		}
		got, _, err := AddHook("", command).edit(nil)
		if err != nil {
			t.Errorf("%s: %v", program, err)
		}
		moved, changed, err := AddHook("", HookCommand("/new/scratchpad")).edit(got)
		if err != nil || len(changed) != 1 || strings.Count(string(moved), `"command": "`) != 1 {
			t.Errorf("%s: another command: %v, %v, %s", program, changed, err, moved)
		}
		if removed, _, err := RemoveHook("").edit(got); err != nil || string(removed) != "{\n}\n" {
			t.Errorf("%s: removed: %v, %s", program, err, removed)
		}
	}
	for _, others := range []string{`/x brief --mark claude-code; date`, `'/x' brief --mark claude-code | cat`, `echo "/x brief --mark claude-code"`, "/x/scratchpad hook; date", "git hook", "/x/scratchpad hooks", "/x/other hook", "echo /x/scratchpad hook"} {
		text := fmt.Sprintf(`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": %q}]}]}}`, others)
		if removed, _, err := RemoveHook("").edit([]byte(text)); err != nil || string(removed) != text {
			t.Errorf("%s: removed: %v, %s", others, err, removed)
		}
	}
}

// Claude Code gets the program bare where PowerShell may run it, in place of a quoted one.
func TestForPowerShell(t *testing.T) {
	for _, program := range []string{"/opt/scratchpad", "C:/Users/A B/scratchpad.exe", "C:/R&D/scratchpad.exe", "/c:/x/scratchpad"} {
		if command := HookCommand(program); ForPowerShell(command) != command {
			t.Errorf("%s becomes %s", command, ForPowerShell(command))
		}
	}
	quoted := HookCommand("C:/Users/me/scratchpad.exe", "--db", "'a b.db'")
	bare := ForPowerShell(quoted)
	if bare != "C:/Users/me/scratchpad.exe hook --db 'a b.db'" {
		t.Errorf("%s becomes %s", quoted, bare)
	}
	old, _, err := AddHook("", quoted).edit(nil)
	testkit.Must(t, err)
	text, changed, err := AddHook("", bare).edit(old)
	if err != nil || len(changed) != 1 || strings.Count(string(text), `"command": "C:/Users/me/`) != 1 || strings.Contains(string(text), `\"`) {
		t.Errorf("over the quoted one: %v, %v, %s", changed, err, text)
	}
	if left, _, err := RemoveHook("").edit(text); err != nil || string(left) != "{\n}\n" {
		t.Errorf("removed: %v, %s", err, left)
	}
}

// The hook of a program counts while the program can be run.
func TestHasHook(t *testing.T) {
	dir, name, folders := t.TempDir(), "scratchpad", []string{"plain", "a b", "it's"}
	if runtime.GOOS == "windows" {
		name += ".exe"
	} else {
		folders = append(folders, "R&D;x|y", "$a b`\"\\!")
	}
	settings := filepath.Join(dir, "settings.json")
	for _, folder := range folders {
		program := filepath.Join(dir, folder, name)
		text, _, err := AddHook(settings, HookCommand(filepath.ToSlash(program), "--tenant", "shop")).edit(nil)
		testkit.Must(t, errors.Join(err, os.WriteFile(settings, text, 0o600), os.Mkdir(filepath.Dir(program), 0o700)))
		if HasHook(settings) {
			t.Errorf("%s is not there, and its hook counts", program)
		}
		testkit.Must(t, os.WriteFile(program, nil, 0o700))
		if !HasHook(settings) {
			t.Errorf("%s can be run, and its hook does not count", program)
		}
		testkit.Must(t, os.Chmod(program, 0o600))
		if runtime.GOOS != "windows" && HasHook(settings) {
			t.Errorf("%s cannot be run, and its hook counts", program)
		}
	}
}

func TestProjectOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it takes the home folder from elsewhere
	}
	t.Setenv("HOME", "/me")
	for _, c := range []struct{ client, file, want string }{
		{"claude-code", "/me/shop/.mcp.json", "/me/shop"}, {"claude-code", "/me/.mcp.json", "/me"}, {"claude-code", "/me/.claude.json", ""},
		{"claude-code", "/me/shop/.claude/settings.local.json", ""}, {"vscode", "/me/a/b/.vscode/mcp.json", "/me/a/b"},
		{"cursor", "/me/shop/.cursor/mcp.json", "/me/shop"}, {"cursor", "/me/.cursor/mcp.json", ""}, {"codex", "/me/.codex/config.toml", ""},
	} {
		client, _ := Find(c.client)
		if got := client.ProjectOf(c.file); got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}
