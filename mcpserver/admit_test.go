package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// post makes a request of a tool or method in either era.
func post(t *testing.T, h *httptest.Server, session, body, verb, name string) *http.Response {
	t.Helper()
	if session != "" {
		body = strings.ReplaceAll(body, requestMeta, "")
	}
	req := must(http.NewRequestWithContext(t.Context(), "POST", h.URL, strings.NewReader(body)))(t)
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": modern, "Mcp-Method": verb, "Mcp-Name": name} {
		req.Header.Set(key, value)
	}
	if session != "" {
		req.Header.Set("Mcp-Protocol-Version", legacy)
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Del("Mcp-Method")
	}
	res := must(h.Client().Do(req))(t)
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// A call that Options.Admit refuses is told when to try again, in both eras.
func TestAdmitRefuses(t *testing.T) {
	var err error
	server := newServerWith(t, mcpserver.Options{
		Workspace: workspaces(newService(t, workspace.Options{}), ""),
		Admit: func(_ context.Context, c mcpserver.Call) error {
			if c.Tool != "list_files" {
				return nil
			}
			return err
		},
	})
	h := serveHTTP(t, server)
	session := beginSession(t, h, "")
	for _, c := range []struct {
		err     error
		status  int
		after   string
		message string
	}{
		{&mcpserver.Busy{After: 1500 * time.Millisecond, Text: "agent a calls too often"}, 429, "2", "agent a calls too often; try again in 2 s"},
		{fmt.Errorf("list_files: %w", &mcpserver.Busy{}), 429, "1", "list_files: the server is busy; try again in 1 s"},
		{fmt.Errorf("the keys cannot be checked: %w", workspace.ErrBusy), 503, "1", "the keys cannot be checked: busy"},
		{errors.New("dial tcp 10.0.0.1: refused"), 503, "1", "internal error; the server's log has more"},
	} {
		err = c.err
		for _, session := range []string{"", session} {
			for _, id := range []string{`17`, `"a b"`} {
				res := post(t, h, session, request(id, "list_files", `{"agent_id":"a"}`), "tools/call", "list_files")
				var got struct {
					JSONRPC string
					ID      json.RawMessage
					Error   struct {
						Code    int
						Message string
					}
				}
				testkit.Must(t, json.NewDecoder(res.Body).Decode(&got))
				if res.StatusCode != c.status || res.Header.Get("Retry-After") != c.after || got.JSONRPC != "2.0" || string(got.ID) != id || got.Error.Code != -32000 || got.Error.Message != c.message {
					t.Errorf("%v: %d, Retry-After %s, %+v, want %d, %s and %q", c.err, res.StatusCode, res.Header.Get("Retry-After"), got, c.status, c.after, c.message)
				}
			}
		}
	}
}

// Options.Admit sees the tool and the agent that the tool sees. If the tool will refuse the
// arguments, the agent may be missing, but it is never another one.
func TestAdmitSeesTheCall(t *testing.T) {
	var seen []mcpserver.Call
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{
		Admit: func(_ context.Context, c mcpserver.Call) error {
			seen = append(seen, c)
			return nil
		},
		Workspace: func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
			seen = append(seen, c)
			return svc.Agent(c.AgentID)
		},
	})
	h := serveHTTP(t, server)
	session := beginSession(t, h, "")
	read := func(uri string) string { return method("1", "resources/read", `"uri":"`+uri+`"`, "") }
	complete := func(context string) string {
		return method("1", "completion/complete", `"ref":{"type":"ref/resource","uri":"scratchpad://{agent}/{+path}"},"argument":{"name":"path","value":""},"context":`+context, "")
	}
	list := mcpserver.Call{Tool: "list_files", AgentID: "a", Read: true}
	appendLog := mcpserver.Call{Tool: "append_log", AgentID: "a", Write: true}
	for _, c := range []struct {
		body, verb, name string
		want             []mcpserver.Call // as Admit and Workspace see it
	}{
		{request("1", "list_files", `{"agent_id":"a"}`), "tools/call", "list_files", []mcpserver.Call{list, list}},
		{request("1", "list_files", `{"\u0061gent_id":"\u0061"}`), "tools/call", "list_files", []mcpserver.Call{list, list}},
		{request("1", "append_log", `{"path":"agent_id","entry":"\"agent_id\":\"b\"","agent_id":"a"}`), "tools/call", "append_log", []mcpserver.Call{appendLog, appendLog}},
		{request("1", "list_files", `{"agent_id":"a","agent_id":"b"}`), "tools/call", "list_files", []mcpserver.Call{list}},
		{request("1", "list_files", `{"AGENT_ID":"b","agent_id":"a"}`), "tools/call", "list_files", []mcpserver.Call{list}},
		{request("1", "list_files", `{"agent_id":"no such\nname"}`), "tools/call", "list_files", []mcpserver.Call{{Tool: "list_files", Read: true}}},
		{request("1", "list_files", `{"agent_id":7}`), "tools/call", "list_files", []mcpserver.Call{{Tool: "list_files", AgentID: "7", Read: true}, {Tool: "list_files", AgentID: "7", Read: true}}},
		{request("1", "list_files", `{"agent_id":null}`), "tools/call", "list_files", []mcpserver.Call{{Tool: "list_files", Read: true}}},
		{request("1", "list_files", `{"agent_id":["a"]}`), "tools/call", "list_files", []mcpserver.Call{{Tool: "list_files", Read: true}}},
		{request("1", "list_files", `[]`), "tools/call", "list_files", []mcpserver.Call{{Tool: "list_files", Read: true}}},
		{request("1", "no_such_tool", `{"agent_id":"a"}`), "tools/call", "no_such_tool", []mcpserver.Call{{AgentID: "a"}}},
		{method("1", "no/such/method", `"a":1`, ""), "no/such/method", "", []mcpserver.Call{{}}},
		{method("1", "tools/list", "", ""), "tools/list", "", []mcpserver.Call{{Tool: "tools/list"}}},
		{read("scratchpad://a/f"), "resources/read", "scratchpad://a/f", []mcpserver.Call{{Tool: "resources/read", AgentID: "a", Read: true}, {Tool: "resources/read", AgentID: "a", Read: true}}},
		{complete(`{"arguments":{"agent":"a"}}`), "completion/complete", "", []mcpserver.Call{{Tool: "completion/complete", AgentID: "a", Read: true}, {Tool: "completion/complete", AgentID: "a", Read: true}}},
		{complete(`{"arguments":{"agent":"a","agent":"b"}}`), "completion/complete", "", nil},
		{complete(`{"arguments":{"agent":"a"},"arguments":{"agent":"b"}}`), "completion/complete", "", nil},
		{complete(`{"Arguments":{"agent":"b"},"arguments":{"agent":"a"}}`), "completion/complete", "", nil},
	} {
		for _, session := range []string{"", session} {
			seen = nil
			bodyOf(t, post(t, h, session, c.body, c.verb, c.name))
			if diff := cmp.Diff(c.want, seen); diff != "" {
				t.Errorf("session %q, %s (-want +got):\n%s", session, c.body, diff)
			}
		}
	}
}
