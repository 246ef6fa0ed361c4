package clientconfig_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var byLines = regexp.MustCompile(`(?s); put this by hand in place of (\w+) in lines? (\d+)(?:-(\d+))?:\n(.*)\nnothing was changed$`)

// Whoever follows the advice for a file that is not edited has a file with the server, in
// which everything else is as it was.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ client, old, lines, replaced string }{
		{"codex", "# mine\nmodel = 'x'\nmcp_servers.scratchpad.command = \"x\"\nmcp_servers.scratchpad.args = []\nlast = 1\n", "3-4", "mcp_servers.scratchpad.command = \"x\"\nmcp_servers.scratchpad.args = []"},
		{"codex", "# mine\n[mcp_servers]\nscratchpad.command = \"x\" # why\nother.command = 'y'\n", "3", "scratchpad.command = \"x\""},
		{"codex", "\ufeff[mcp_servers]\nscratchpad.command = \"x\"\n", "2", "scratchpad.command = \"x\""},
		{"codex", "[mcp_servers]\nscratchpad.env.A = '1'\nscratchpad.enabled = true\n\n[other]\na = 1\n", "2-3", "scratchpad.env.A = '1'\nscratchpad.enabled = true"},
		{"codex", "[mcp_servers]\nscratchpad = { command = '/old', env = { A = '1' } }\nother = { command = 'y' }\n", "2", "scratchpad = { command = '/old', env = { A = '1' } }"},
		{"codex", "a = 1\nmcp_servers.scratchpad = { args = ['mcp'], enabled = true }\n", "2", "mcp_servers.scratchpad = { args = ['mcp'], enabled = true }"},
		{"codex", "mcp_servers = { other = { command = 'a' }, scratchpad = { command = '/old' } }", "1", "scratchpad = { command = '/old' }"},
		{"codex", "[mcp_servers.scratchpad]\nenabled = true\ncommand = '/opt/scratchpad'\nargs = [ # two\n  'mcp',\n]\n\n[b]\nc = 1\n", "4-6", "args = [ # two\n  'mcp',\n]"},
		{"cursor", "{\n  // mine\n  \"mcpServers\": {\n    \"scratchpad\": {\n      \"command\": \"/opt/scratchpad\",\n      \"args\": [\n        // two\n        \"mcp\"\n      ], // three\n      \"env\": {\"A\": \"1\"}\n    },\n    \"b\": {}\n  }\n}\n", "6-9", "\"args\": [\n        // two\n        \"mcp\"\n      ]"},
		{"cursor", "{\n\"mcpServers\": {\"b\": {},\n\"scratchpad\": {\"command\": \"/opt/scratchpad\", \"args\": [/* two */], \"env\": {\"A\": \"1\"}}, // mine\n\"c\": {}}}\n", "3", "\"args\": [/* two */]"},
		{"vscode", "\ufeff{\n  \"servers\": {\n    \"scratchpad\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/scratchpad\",\n      \"args\": [/* two */]\n    }\n  }\n}\n", "6", "\"args\": [/* two */]"},
	} {
		client, _ := clientconfig.Find(c.client)
		file := filepath.Join(t.TempDir(), "client")
		testkit.Must(t, os.WriteFile(file, []byte(c.old), 0o600))
		_, err := client.AddServer(file, "scratchpad", server).Preview()
		found := []string{"", "", "", "", ""}
		if err != nil && byLines.MatchString(err.Error()) {
			found = byLines.FindStringSubmatch(err.Error())
		}
		if !errors.Is(err, clientconfig.ErrByHand) || strings.TrimSuffix(found[2]+"-"+found[3], "-") != c.lines || !strings.Contains(c.replaced, found[1]) {
			t.Errorf("%q: %v; want lines %s", c.old, err, c.lines)
			continue
		}
		pasted := strings.Replace(c.old, c.replaced, found[4], 1)
		testkit.Must(t, os.WriteFile(file, []byte(pasted), 0o600))
		if r, err := client.AddServer(file, "scratchpad", server).Preview(); err != nil || len(r.Changed) > 0 {
			t.Errorf("%q, pasted\n%s\nchanged %q, %v", c.old, pasted, r.Changed, err)
		}
		for _, kept := range []string{"enabled = true", "A = '1'", `"env": {"A": "1"}`, "other", "last = 1", `"b": {}`, "# why", "// three", "// mine"} {
			if strings.Contains(c.old, kept) && !strings.Contains(pasted, kept) {
				t.Errorf("%q, pasted\n%s\n%s is gone", c.old, pasted, kept)
			}
		}
	}
}

// write makes a change.
func write(c clientconfig.Change) (clientconfig.Preview, error) {
	p, err := c.Preview()
	if err == nil {
		_, err = p.Write()
	}
	return p, err
}

// A list of servers gets no lines to paste, because they would be a part of its last element. The
// advice for an entry that shares a line with others shows nothing of the others.
func TestAdviceBesideOthers(t *testing.T) {
	t.Parallel()
	const byHand, list = " in line 1:\n", "write [mcp_servers.NAME] for each server"
	for _, c := range []struct {
		client, old string
		kind        error
		says        string
	}{
		{"codex", "[[mcp_servers]]\nname = 'secret'\n", clientconfig.ErrInvalid, list},
		{"codex", "mcp_servers = [{name = 'secret'}]\n", clientconfig.ErrInvalid, list},
		{"codex", "mcp_servers = 1\n", clientconfig.ErrInvalid, list},
		{"codex", "mcp_servers = { b = { env = { KEY = 'secret' } }, scratchpad = { command = 'x' }, c = { env = { KEY = 'secret' } } }\n", clientconfig.ErrByHand, byHand},
		{"cursor", `{"mcpServers": {"b": {"env": {"KEY": "secret"}}, "scratchpad": {"args": [/* two */]}, "c": {"env": {"KEY": "secret"}}}}`, clientconfig.ErrByHand, byHand},
	} {
		client, _ := clientconfig.Find(c.client)
		file := filepath.Join(t.TempDir(), "client")
		testkit.Must(t, os.WriteFile(file, []byte(c.old), 0o600))
		_, err := client.AddServer(file, "scratchpad", server).Preview()
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.old, err)
		}
	}
}

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
				if _, err := write(c.AddServer(file, "scratchpad", server)); err != nil {
					t.Errorf("%s, %q: %v", name, text, err)
				}
				e, err := c.ReadEntry(file, "scratchpad")
				s, found := e.Server()
				if diff := cmp.Diff(server, s); err != nil || !found || diff != "" {
					t.Errorf("%s, %q: read %v, %v (-want +got):\n%s", name, text, found, err, diff)
				}
			}
			step("written")
			for _, file := range []string{plain, marked} {
				if r, err := write(c.RemoveServer(file, "scratchpad")); err != nil || len(r.Changed) != 1 {
					t.Errorf("%s, %q: removed %v, %v", name, text, r.Changed, err)
				}
			}
			step("removed")
		}
	}
	file := filepath.Join(t.TempDir(), "settings.local.json")
	testkit.Must(t, os.WriteFile(file, []byte("\ufeff{}\n"), 0o600))
	for _, change := range []clientconfig.Change{clientconfig.AddHook(file, "x brief --mark claude-code"), clientconfig.RemoveHook(file)} {
		if r, err := write(change); err != nil || len(r.Changed) != 1 || !strings.HasPrefix(testkit.ReadFile(t, file), "\ufeff{") {
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
				_, write := c.AddServer(file, "scratchpad", server).Preview()
				_, read := c.ReadEntry(file, "scratchpad")
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
