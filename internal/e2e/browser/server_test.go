package browser

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// A server is scratchpad serve over a new SQLite database.
type server struct {
	t      testing.TB
	db     string
	origin string // such as http://127.0.0.1:8080
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{t: t, db: filepath.Join(t.TempDir(), "team.db")}
	s.newKey("read") // without a key the server needs none
	s.origin = strings.TrimSuffix(process.Serve(t, program(t), "--db", s.db), "/mcp")
	return s
}

// newKey makes a key for all agents.
func (s *server) newKey(scopes string) string {
	s.t.Helper()
	var created struct{ Key string }
	text := s.run("keys", "create", "--agents", "*", "--scopes", scopes, "--json")
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		s.t.Fatalf("keys create --json printed %q: %v", text, err)
	}
	return created.Key
}

// run runs a command on the database of the server, and returns what it prints.
func (s *server) run(args ...string) string {
	s.t.Helper()
	return process.Run(s.t, program(s.t), append(args, "--db", s.db)...)
}
