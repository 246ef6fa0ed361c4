package mcpserver_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// serveMixed returns a server on which the callers whose names begin with "one" are bound to
// the agent of their name. All others name their agent. It notes the calls of which
// Workspace was asked without an agent.
func serveMixed(t *testing.T, svc *workspace.Service) (h *httptest.Server, unnamed *testkit.Buffer) {
	t.Helper()
	isBound := func(ctx context.Context) bool { return strings.HasPrefix(caller(ctx), "one") }
	unnamed = &testkit.Buffer{}
	server := newServerWith(t, mcpserver.Options{
		IsBound: isBound, Caller: func(context.Context) string { return "all" },
		Brief: func(ctx context.Context) string { return "brief of " + caller(ctx) },
		Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
			switch {
			case !isBound(ctx):
				if c.AgentID == "" {
					fmt.Fprintf(unnamed, "%s of %q\n", c.Tool, caller(ctx))
				}
				return svc.Agent(c.AgentID)
			case c.AgentID != "" && c.AgentID != caller(ctx):
				return nil, fmt.Errorf("agent_id is not yours: %w", workspace.ErrInvalid)
			}
			return svc.Agent(caller(ctx))
		},
	})
	h = httptest.NewServer(named(server.Handler()))
	t.Cleanup(h.Close)
	return h, unnamed
}

// ask makes a request in either era. session is only for the older one.
func ask(t *testing.T, h *httptest.Server, protocol, user, session, body string, header map[string]string) string {
	t.Helper()
	if protocol == legacy {
		header, body = as(user, session), strings.ReplaceAll(body, requestMeta, "")
	} else {
		header["X-User"] = user
		header["Mcp-Protocol-Version"] = modern
	}
	_, _, text := exchange(t, h, t.Context(), "POST", body, header)
	return text
}

// Bound callers and others use one server. Each sees its own tools and instructions, in both
// eras, and no cache may keep them for another.
func TestBoundForSome(t *testing.T) {
	h, _ := serveMixed(t, newService(t, workspace.Options{}))
	for _, c := range []struct {
		user  string
		bound bool
	}{{"one-a", true}, {"many", false}, {"one-b", true}} {
		_, session, greeting := exchange(t, h, t.Context(), "POST", initialize, as(c.user, ""))
		greetings := map[string]string{legacy: greeting}
		greetings[modern] = ask(t, h, modern, c.user, "", method("1", "server/discover", "", ""), map[string]string{"Mcp-Method": "server/discover"})
		for protocol, text := range greetings {
			if asks, told := strings.Contains(text, "agent_id is the name"), strings.Contains(text, "brief of "+c.user); asks == c.bound || told != c.bound {
				t.Errorf("%s, %s: the instructions ask for agent_id: %v, and have the brief: %v", protocol, c.user, asks, told)
			}
			body := method("1", "tools/list", "", "")
			list := ask(t, h, protocol, c.user, session, body, map[string]string{"Mcp-Method": "tools/list"})
			if has := strings.Contains(list, `"agent_id"`); !strings.Contains(list, "write_file") || has == c.bound {
				t.Errorf("%s, %s: the tools have agent_id: %v", protocol, c.user, has)
			}
			if protocol == modern && (strings.Contains(list, `"public"`) || strings.Contains(text, `"public"`)) {
				t.Errorf("%s: the tools or instructions of one caller may be kept for another: %.300s", c.user, list)
			}
		}
	}
}

// A session keeps its tools. Each of its calls is judged for the caller who makes it, who
// may be bound now and was not before.
func TestBoundInsideASession(t *testing.T) {
	h, unnamed := serveMixed(t, newService(t, workspace.Options{}))
	for _, first := range []string{"one-a", "many"} {
		session := beginSession(t, h, first)
		for _, c := range []struct{ user, args, want string }{
			{"one-a", `{}`, `\"agent_id\":\"one-a\"`},
			{"one-a", `{"agent_id":"one-a"}`, `\"agent_id\":\"one-a\"`},
			{"one-a", `{"agent_id":"other"}`, "agent_id is not yours"},
			{"many", `{}`, "argument agent_id is missing"},
			{"many", `{"agent_id":"other"}`, `\"agent_id\":\"other\"`},
		} {
			text := mustText(t, h, as(c.user, session), toolCall(7, "get_usage_stats", c.args))
			if !strings.Contains(text, c.want) {
				t.Errorf("session of %s: %s with %s = %s, want %s", first, c.user, c.args, text, c.want)
			}
		}
		mustText(t, h, as("many", session), `{"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":"path","value":""}}}`)
	}
	if unnamed.String() != "" {
		t.Errorf("Workspace is asked without an agent for callers who are not bound: %s", unnamed)
	}
}

// The key that Workspace has put into the author stays. The client's name is added.
func TestAuthorKeepsKey(t *testing.T) {
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
		return agentOf(t, svc, "a").As(workspace.Author{Key: "key-1", Client: "nobody"}), nil
	}})
	h := serveHTTP(t, server)
	for _, protocol := range []string{modern, legacy} {
		s := connectHTTP(t, h, protocol)
		mustCall(t, s, "append_log", m{"path": "g", "entry": "x"})
		mustCall(t, s, "write_file", m{"path": "own-" + protocol, "content": "x"})
		if got := mustCall(t, s, "changes", m{"since": 0, "prefix": "own-" + protocol}); protocol == legacy && !strings.Contains(got[0], `"count":0`) {
			t.Errorf("changes = %s, want nothing of the session's own", got)
		}
	}
	mustCall(t, connect(t, server), "append_log", m{"path": "g", "entry": "x"})
	page := must(agentOf(t, svc, "a").ReadLog(t.Context(), "g", workspace.ReadLogOptions{}))(t)
	for i, client := range []workspace.Author{{Client: "web", Version: "2", Key: "key-1"}, {Client: "web", Version: "2", Key: "key-1"}, {Client: "test-client", Version: "1.2", Key: "key-1"}} {
		if got := page.Entries[i].Author; got != client {
			t.Errorf("the author of entry %d is %+v, want %+v", i+1, got, client)
		}
	}
}

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
