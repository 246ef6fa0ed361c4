package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// A server is scratchpad serve. Several may serve one database.
type server struct {
	t       testing.TB
	db      string
	process *process.Server
	origin  string // such as http://127.0.0.1:8080
	key     string // of the agents that write
}

// newServer starts a server over a new SQLite database.
func newServer(t testing.TB) *server {
	t.Helper()
	return startServers(t, 1, filepath.Join(t.TempDir(), "team.db"))[0]
}

// startServers starts servers over one database, with a key that reads and writes.
func startServers(t testing.TB, n int, db string) (all []*server) {
	t.Helper()
	for range n {
		s := &server{t: t, db: db}
		if len(all) == 0 {
			s.key = s.newKey("read,write")
		} else {
			s.key = all[0].key
		}
		s.process = process.Start(t, program(t), "--db", db, "--rate", "0", "--rate-agent", "0", "--paths", "unicode")
		s.origin = strings.TrimSuffix(s.process.URL, "/mcp")
		all = append(all, s)
	}
	return all
}

// newKey makes a key for all agents. More are further flags of the command.
func (s *server) newKey(scopes string, more ...string) string {
	s.t.Helper()
	_, key := process.NewKey(s.t, program(s.t), s.db, append([]string{"--agents", "*", "--scopes", scopes}, more...)...)
	return key
}

// run runs a command on the database of the server, and returns what it prints.
func (s *server) run(args ...string) string {
	s.t.Helper()
	return process.Run(s.t, program(s.t), append(args, "--db", s.db)...)
}

// An object is the arguments of a tool.
type object = map[string]any

// call calls a tool at the server, as an agent whose program has a name.
func (s *server) call(client, tool string, args object) {
	s.t.Helper()
	must(s.t, s.try(client, tool, args))
}

// try is call for other goroutines than the test's.
func (s *server) try(client, tool string, args object) error {
	const modern = "2026-07-28" // the protocol without sessions
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{
		"name": tool, "arguments": args, "_meta": object{
			"io.modelcontextprotocol/protocolVersion":    modern,
			"io.modelcontextprotocol/clientInfo":         object{"name": client, "version": "1.0"},
			"io.modelcontextprotocol/clientCapabilities": object{},
		},
	}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(s.t.Context(), "POST", s.origin+"/mcp", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + s.key,
		"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || strings.Contains(string(text), `"isError":true`) || strings.Contains(string(text), `"error":{`) {
		return fmt.Errorf("%s %.300s: %d %s", tool, body, res.StatusCode, text)
	}
	return nil
}

// write writes a file as an agent's program.
func (s *server) write(client, agent, path, content string) {
	s.t.Helper()
	s.call(client, "write_file", object{"agent_id": agent, "path": path, "content": content})
}

// append appends an entry to a log as an agent's program.
func (s *server) append(client, agent, path, text string) {
	s.t.Helper()
	s.call(client, "append_log", object{"agent_id": agent, "path": path, "entry": text})
}

// together runs something n times, some at once, and returns when all is done.
func (s *server) together(n int, do func(i int) error) {
	s.t.Helper()
	var wg sync.WaitGroup
	failed := make(chan error, n)
	next := make(chan int)
	for range 8 {
		wg.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	close(failed)
	for err := range failed {
		s.t.Fatal(err)
	}
}
