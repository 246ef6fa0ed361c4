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

// A byte order mark at the beginning of a file is skipped, and stays.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"codex": "\ufeffmodel = \"x\"\r\n", "cursor": "\ufeff{\r\n  \"mcpServers\": {\"a\": {}}\r\n}\r\n"} {
		c, _ := clientconfig.Find(name)
		file := filepath.Join(t.TempDir(), "client")
		testkit.Must(t, os.WriteFile(file, []byte(text), 0o600))
		testkit.Must(t, testkit.Err(write(c.AddServer(file, "scratchpad", server))))
		e, err := c.ReadEntry(file, "scratchpad")
		s, _ := e.Server()
		if diff := cmp.Diff(server, s); err != nil || diff != "" || !strings.HasPrefix(testkit.ReadFile(t, file), text[:10]) {
			t.Errorf("%s: %q, read %v (-want +got):\n%s", name, testkit.ReadFile(t, file), err, diff)
		}
		testkit.Must(t, testkit.Err(write(c.RemoveServer(file, "scratchpad"))))
		if got := testkit.ReadFile(t, file); got != text {
			t.Errorf("%s: after the removal %q, want %q", name, got, text)
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
	for _, c := range []struct {
		client, text string
		order        binary.AppendByteOrder
	}{
		{"codex", "model = \"x\"\n", binary.LittleEndian}, {"codex", "\ufeffmodel = \"x\"\n", binary.BigEndian},
		{"cursor", "\ufeff{\"mcpServers\": {}}", binary.LittleEndian}, {"vscode", "\n{}", binary.BigEndian},
	} {
		client, _ := clientconfig.Find(c.client)
		var content []byte
		for _, unit := range utf16.Encode([]rune(c.text)) {
			content = c.order.AppendUint16(content, unit)
		}
		file := filepath.Join(t.TempDir(), "file")
		testkit.Must(t, os.WriteFile(file, content, 0o600))
		_, write := client.AddServer(file, "scratchpad", server).Preview()
		_, read := client.ReadEntry(file, "scratchpad")
		for _, err := range []error{write, read} {
			if !errors.Is(err, clientconfig.ErrInvalid) || !strings.Contains(err.Error(), "it is UTF-16; save it as UTF-8") {
				t.Errorf("%q, %v: %v", c.text, c.order, err)
			}
		}
		if testkit.ReadFile(t, file) != string(content) {
			t.Errorf("%q, %v: the file has changed", c.text, c.order)
		}
	}
}
