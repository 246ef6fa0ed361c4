package mcpserver_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// serveRights returns a server on which the caller "reader" may only read, "nobody" may do
// nothing, and all others have the agents that begin with their name.
func serveRights(t *testing.T, svc *workspace.Service) *httptest.Server {
	t.Helper()
	server := newServerWith(t, mcpserver.Options{Caller: caller, Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		switch user := caller(ctx); {
		case user == "nobody":
			return nil, workspace.Errorf(workspace.ErrInvalid, "a key is needed; make one with scratchpad keys create")
		case user == "reader" && c.Write:
			return nil, workspace.Errorf(workspace.ErrReadOnly, "the key may not write; use a key with scope write")
		case !strings.HasPrefix(c.AgentID, user):
			return nil, workspace.Errorf(workspace.ErrInvalid, "agent_id is not one of the key's; give one of those")
		}
		return svc.Agent(c.AgentID)
	}})
	h := httptest.NewServer(named(server.Handler()))
	t.Cleanup(h.Close)
	return h
}

// asks are requests for an agent, of every kind.
func asks(agent string) map[string]string {
	all := map[string]string{
		"resources/read":      method("1", "resources/read", `"uri":"scratchpad://`+agent+`/f"`, ""),
		"completion/complete": method("1", "completion/complete", `"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":"path","value":""},"context":{"arguments":{"agent":"`+agent+`"}}`, ""),
	}
	for tool, args := range good {
		all[tool] = request("1", tool, object(with(args, "agent_id", `"`+agent+`"`)))
	}
	return all
}

func headersOf(kind, agent string) map[string]string {
	switch kind {
	case "resources/read":
		return map[string]string{"Mcp-Method": kind, "Mcp-Name": "scratchpad://" + agent + "/f"}
	case "completion/complete":
		return map[string]string{"Mcp-Method": kind}
	}
	return map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": kind}
}

// A caller without rights gets an answer of its tool that says the way out, in both eras, and
// can still list the tools.
func TestWithoutRights(t *testing.T) {
	h := serveRights(t, newService(t, workspace.Options{}))
	for user, want := range map[string]string{"nobody": "make one with scratchpad keys create", "reader": "use a key with scope write"} {
		session := beginSession(t, h, user)
		for _, protocol := range []string{modern, legacy} {
			for _, tool := range []string{"write_file", "append_log", "delete_log"} {
				text := ask(t, h, protocol, user, session, asks("reader-1")[tool], headersOf(tool, "reader-1"))
				if !strings.Contains(text, `"isError":true`) || !strings.Contains(text, want) {
					t.Errorf("%s: %s of %s = %s, want a tool's error that says %q", protocol, tool, user, text, want)
				}
			}
			if text := ask(t, h, protocol, user, session, method("1", "tools/list", "", ""), map[string]string{"Mcp-Method": "tools/list"}); !strings.Contains(text, "write_file") {
				t.Errorf("%s: tools/list of %s = %s", protocol, user, text)
			}
		}
	}
}

// The answer for another caller's agent and for an agent that nobody has is the same, byte for
// byte, in both eras.
func TestNotYoursAndNotThere(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{})
	for _, path := range []string{"f", "own"} {
		must(agentOf(t, svc, "theirs").WriteFile(t.Context(), path, []byte("x"), workspace.WriteOptions{}))(t)
	}
	h := serveRights(t, svc)
	session := beginSession(t, h, "mine")
	for _, protocol := range []string{modern, legacy} {
		theirs, nobodys := asks("theirs"), asks("nobody")
		for kind := range theirs {
			a := ask(t, h, protocol, "mine", session, theirs[kind], headersOf(kind, "theirs"))
			b := ask(t, h, protocol, "mine", session, nobodys[kind], headersOf(kind, "nobody"))
			if strings.ReplaceAll(a, "theirs", "nobody") != b || strings.Contains(a, `"own"`) {
				t.Errorf("%s: %s for another's agent = %s, for nobody's %s", protocol, kind, a, b)
			}
			mine := ask(t, h, protocol, "mine", session, asks("mine-1")[kind], headersOf(kind, "mine-1"))
			if mine == b && kind != "resources/read" && kind != "completion/complete" {
				t.Errorf("%s: %s for the caller's own agent is refused too: %s", protocol, kind, mine)
			}
		}
	}
}
