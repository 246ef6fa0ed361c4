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

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// write makes a change.
func write(c clientconfig.Change) (clientconfig.Preview, error) {
	p, err := c.Preview()
	if err == nil {
		err = p.Write()
	}
	return p, err
}

// A list of servers gets no lines to paste, because they would be a part of its last element. The
// advice for an entry that is not edited shows nothing of the others.
func TestAdviceBesideOthers(t *testing.T) {
	t.Parallel()
	const byHand, list = "put this into it by hand", "write [mcp_servers.NAME] for each server"
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
