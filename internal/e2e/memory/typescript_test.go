package memory

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A typescript is an SDK for TypeScript, in a process of Node.
type typescript struct {
	in  io.Writer
	out *json.Decoder
	key string
}

// newTypeScript returns a function that starts Node with a package of npm.
func newTypeScript(name string) func(t *testing.T, base, key string) client {
	return func(t *testing.T, base, key string) client {
		c := &typescript{key: key}
		c.in, c.out = startNode(t, "client.mjs", name, base)
		return c
	}
}

// startNode runs a script that answers lines of standard input.
func startNode(t *testing.T, args ...string) (io.Writer, *json.Decoder) {
	t.Helper()
	cmd := exec.Command(nodePath, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", "NODE_OPTIONS=", "NO_PROXY=127.0.0.1,localhost")
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("node %q: %v", args, err)
		}
	})
	return in, json.NewDecoder(out)
}

func (c *typescript) call(t *testing.T, name, id string, params m) (any, *fault) {
	t.Helper()
	if params == nil {
		params = m{}
	}
	if err := json.NewEncoder(c.in).Encode(m{"apiKey": c.key, "method": name, "id": id, "params": params}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var answer struct {
		Result any
		Fault  *fault
	}
	if err := c.out.Decode(&answer); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return answer.Result, answer.Fault
}
