package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Each connection and each session leaves out what it wrote itself. A request without a
// session is shown everything. All clients here have the same name.
func TestChangesOfSessions(t *testing.T) {
	svc := newDurable(t, workspace.Options{})
	server := newServerOn(t, svc, "a")
	h := serveHTTP(t, server)
	who := &mcp.Implementation{Name: "web", Version: "2"}
	clients := map[string]*mcp.ClientSession{
		"stdio": connectAs(t, server, modern, who), "stdio-2": connectAs(t, server, legacy, who),
		"session": connectHTTP(t, h, legacy), "session-2": connectHTTP(t, h, legacy), "stateless": connectHTTP(t, h, modern),
	}
	for name, s := range clients {
		mustCall(t, s, "write_file", m{"path": name, "content": "x"})
	}
	for reader, s := range clients {
		answer := strings.Join(mustCall(t, s, "changes", m{"since": 0}), "\n")
		all := strings.Join(mustCall(t, s, "changes", m{"since": 0, "all": true}), "\n")
		for writer := range clients {
			row := "\t" + writer + "\t0\t1\tweb\t"
			if want := writer != reader || reader == "stateless"; strings.Contains(answer, row) != want {
				t.Errorf("%s reads what %s wrote: %v, want %v", reader, writer, !want, want)
			}
			if !strings.Contains(all, row) {
				t.Errorf("with all, %s does not read what %s wrote", reader, writer)
			}
		}
	}
	again := connectAs(t, server, modern, who) // a new connection has written nothing
	if answer := mustCall(t, again, "changes", m{"since": 0}); !strings.Contains(answer[0], `"count":5`) {
		t.Errorf("a new connection reads %q, want 5 paths", answer)
	}
}

// A client's name stays in its column, whatever it is.
func TestChangesShowClients(t *testing.T) {
	svc := newDurable(t, workspace.Options{})
	server := newServerOn(t, svc, "a")
	s := connect(t, server)
	for name, shown := range map[string]string{
		"a\tb\nedit\tfile\tsecret": "a b edit file secret",
		strings.Repeat("é", 300):   strings.Repeat("é", 40) + "...",
		"\u202eevil\u2028":         " evil ",
	} {
		other := connectAs(t, server, modern, &mcp.Implementation{Name: name, Version: "1"})
		mustCall(t, other, "write_file", m{"path": "f", "content": "x"})
		body := mustCall(t, s, "changes", m{"since": 0})[1]
		lines := strings.Split(body, "\n")
		columns := strings.Split(lines[len(lines)-1], "\t")
		if len(lines) != 2 || len(columns) != 7 || !strings.HasPrefix(columns[5], shown) {
			t.Errorf("a client named %q is shown as %q", name, body)
		}
	}
}

// Without a cursor the answer says where the older changes are. What is left out names the call that
// shows that version, or none if it is redacted.
func TestChangesNameCalls(t *testing.T) {
	svc := newDurable(t, workspace.Options{})
	s := connect(t, newServerOn(t, svc, "a"))
	for i := range 25 {
		mustCall(t, s, "write_file", m{"path": "big", "content": strings.Repeat("line ", 9000+i)})
	}
	must(agentOf(t, svc, "a").RedactVersion(t.Context(), "big", 24, workspace.RedactOptions{}))(t)
	answer := mustCall(t, s, "changes", m{"all": true, "diffs": true})
	if want := `{"cursor":26,"count":20,"has_more":false,"older":"since 0",`; !strings.HasPrefix(answer[0], want) {
		t.Errorf("the record is %s, want %s", answer[0], want)
	}
	for _, want := range []string{"tokens, version 24 is not kept; read_file", "big: version 24 is redacted",
		"; read_file version 23"} {
		if !strings.Contains(answer[1]+"\n", want+"\n") {
			t.Errorf("the answer lacks %q:\n%s", want, answer[1])
		}
	}
}
