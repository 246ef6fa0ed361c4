package clientconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A list of servers gets no lines to paste, because they would be a part of its last element. The
// advice for an entry that is not edited shows nothing of the others.
func TestAdviceBesideOthers(t *testing.T) {
	t.Parallel()
	const byHand, list = "put these lines into it by hand", "write [mcp_servers.NAME] for each server"
	for _, c := range []struct {
		client, old string
		kind        error
		says        string
	}{
		{"codex", "[[mcp_servers]]\nname = 'secret'\n", store.ErrInvalid, list},
		{"codex", "mcp_servers = [{name = 'secret'}]\n", store.ErrInvalid, list},
		{"codex", "mcp_servers = 1\n", store.ErrInvalid, list},
		{"codex", "mcp_servers = { b = { env = { KEY = 'secret' } }, scratchpad = { command = 'x' }, c = { env = { KEY = 'secret' } } }\n", clientconfig.ErrByHand, byHand},
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
