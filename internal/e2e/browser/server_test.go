package browser

import (
	"encoding/json"
	"fmt"
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
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	one := process.Client{URL: func() string { return s.origin + "/mcp" }, Key: s.key, Modern: true, Name: client, Web: http.DefaultClient}
	if _, err := one.Call(s.t.Context(), tool, string(text[1:len(text)-1]), ""); err != nil {
		return fmt.Errorf("%s %.300s: %w", tool, text, err)
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
