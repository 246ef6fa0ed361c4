package clientconfig_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var server = clientconfig.Server{Command: "/opt/scratchpad", Args: []string{"mcp", "--agent", "a"}}

// oldFiles are what a client's file may have, without its mark.
var oldFiles = map[string][]string{
	"codex":  {"", "\n", "model = \"x\"\r\n", "[mcp_servers.other]\ncommand = \"y\"\n"},
	"cursor": {"", "\n", "{}", "{\r\n  \"mcpServers\": {\"a\": {}}\r\n}\r\n"},
}

// A byte order mark at the beginning of a file is skipped, and stays.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for name, texts := range oldFiles {
		c, _ := clientconfig.Find(name)
		for _, text := range texts {
			dir := t.TempDir()
			plain, marked := filepath.Join(dir, "plain"), filepath.Join(dir, "marked")
			testkit.Must(t, errors.Join(os.WriteFile(plain, []byte(text), 0o600), os.WriteFile(marked, []byte("\ufeff"+text), 0o600)))
			step := func(what string) {
				t.Helper()
				if diff := cmp.Diff("\ufeff"+testkit.ReadFile(t, plain), testkit.ReadFile(t, marked)); diff != "" {
					t.Errorf("%s, %q: %s (-want +got):\n%s", name, text, what, diff)
				}
			}
			for _, file := range []string{plain, marked} {
				if _, err := c.Write(file, "scratchpad", server); err != nil {
					t.Errorf("%s, %q: %v", name, text, err)
				}
				s, found, err := c.ReadServer(file, "scratchpad")
				if diff := cmp.Diff(server, s); err != nil || !found || diff != "" {
					t.Errorf("%s, %q: read %v, %v (-want +got):\n%s", name, text, found, err, diff)
				}
			}
			step("written")
			for _, file := range []string{plain, marked} {
				if r, err := c.RemoveServer(file, "scratchpad").Write(); err != nil || len(r.Changed) != 1 {
					t.Errorf("%s, %q: removed %v, %v", name, text, r.Changed, err)
				}
			}
			step("removed")
		}
	}
	file := filepath.Join(t.TempDir(), "settings.local.json")
	testkit.Must(t, os.WriteFile(file, []byte("\ufeff{}\n"), 0o600))
	for _, change := range []clientconfig.Change{clientconfig.AddHook(file, "x brief --mark claude-code"), clientconfig.RemoveHook(file)} {
		if r, err := change.Write(); err != nil || len(r.Changed) != 1 || !strings.HasPrefix(testkit.ReadFile(t, file), "\ufeff{") {
			t.Errorf("the hook: %v, %v, %q", r.Changed, err, testkit.ReadFile(t, file))
		}
	}
}

// The error of a file in UTF-16 says so, with a mark or without, and the file stays.
func TestUTF16(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"codex": "model = \"x\"\n", "cursor": "{\"mcpServers\": {}}", "vscode": "\n{}"} {
		c, _ := clientconfig.Find(name)
		for _, mark := range []string{"", "\ufeff"} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				var content []byte
				for _, unit := range utf16.Encode([]rune(mark + text)) {
					content = order.AppendUint16(content, unit)
				}
				file := filepath.Join(t.TempDir(), "file")
				testkit.Must(t, os.WriteFile(file, content, 0o600))
				_, write := c.Write(file, "scratchpad", server)
				_, _, read := c.ReadServer(file, "scratchpad")
				for _, err := range []error{write, read} {
					if !errors.Is(err, clientconfig.ErrInvalid) || !strings.Contains(err.Error(), "it is UTF-16; save it as UTF-8") {
						t.Errorf("%s, mark %q, %v: %v", name, mark, order, err)
					}
				}
				if testkit.ReadFile(t, file) != string(content) {
					t.Errorf("%s, mark %q, %v: the file has changed", name, mark, order)
				}
			}
		}
	}
}

// VS Code's settings keep the servers under mcp.servers, its other files under servers.
func TestCodeSettings(t *testing.T) {
	t.Parallel()
	c, _ := clientconfig.Find("vscode")
	const entry = `"scratchpad": {
        "type": "stdio",
        "command": "/opt/scratchpad",
        "args": ["mcp", "--agent", "a"]
      }`
	for _, x := range []struct{ old, want string }{
		{"", "{\n  \"mcp\": {\n    \"servers\": {\n      " + entry + "\n    }\n  }\n}\n"},
		{"{\n  // mine\n  \"a.b\": 1\n}\n", "{\n  // mine\n  \"a.b\": 1,\n  \"mcp\": {\n    \"servers\": {\n      " + entry + "\n    }\n  }\n}\n"},
		{"{\n  \"mcp\": {\n    \"inputs\": [],\n    \"servers\": null\n  }\n}\n", "{\n  \"mcp\": {\n    \"inputs\": [],\n    \"servers\": {\n      " + entry + "\n    }\n  }\n}\n"},
		{"{\n  \"mcp.servers\": {}\n}\n", "{\n  \"mcp.servers\": {\n    " + strings.ReplaceAll(entry, "\n  ", "\n") + "\n  }\n}\n"},
	} {
		file := filepath.Join(t.TempDir(), "settings.json")
		if x.old != "" {
			testkit.Must(t, os.WriteFile(file, []byte(x.old), 0o600))
		}
		if _, err := c.Write(file, "scratchpad", server); err != nil {
			t.Errorf("%q: %v", x.old, err)
		}
		if diff := cmp.Diff(x.want, testkit.ReadFile(t, file)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", x.old, diff)
		}
		if s, found, err := c.ReadServer(file, "scratchpad"); err != nil || !found || !cmp.Equal(s, server) {
			t.Errorf("%q: read %v, %v, %v", x.old, s, found, err)
		}
		if x.old == "" && c.SnippetFor(file, "scratchpad", server) != x.want {
			t.Errorf("the snippet is %s", c.SnippetFor(file, "scratchpad", server))
		}
	}
}
