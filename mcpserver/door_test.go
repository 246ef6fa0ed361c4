package mcpserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

// A door is a way by which messages come to a server.
type door struct {
	name string
	now  bool // of the protocol without sessions

	// send sends the bytes of a message, and returns the answer. method and tool are for the
	// headers of HTTP. The status is 0 on stdio.
	send func(text, method, tool string) (status int, answer string)
}

// doors returns all ways into a server.
func doors(t *testing.T, s *mcpserver.Server) []door {
	t.Helper()
	h := serveHTTP(t, s)
	session := beginSession(t, h, "")
	all := []door{
		{"HTTP, in a session", false, func(text, _, _ string) (int, string) {
			return postTo(t, h, text, map[string]string{"Mcp-Protocol-Version": legacy, "Mcp-Session-Id": session})
		}},
		{"HTTP, without a session", true, func(text, method, tool string) (int, string) {
			return postTo(t, h, text, map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": method, "Mcp-Name": tool})
		}},
	}
	for _, now := range []bool{false, true} {
		w := newWire(t, s)
		if !now {
			w.send(initialize + "\n" + initialized + "\n")
			w.must()
		}
		all = append(all, door{map[bool]string{false: "stdio, after a handshake", true: "stdio"}[now], now, func(text, _, _ string) (int, string) {
			w.send(text + "\n")
			return 0, w.must().raw
		}})
	}
	return all
}

// postTo returns the answer to a message by HTTP, without the header's values that are "".
func postTo(t *testing.T, h *httptest.Server, text string, header map[string]string) (int, string) {
	t.Helper()
	status, _, answer := exchange(t, h, t.Context(), http.MethodPost, text, header)
	_, answer, _ = strings.Cut(answer, "]]") // behind the headers
	if i := strings.IndexByte(answer, '{'); i >= 0 {
		answer = answer[i:]
	}
	return status, answer
}

// call calls a tool with arguments that are any JSON.
func (d door) call(id, tool, args string) (int, string) {
	return d.request(id, "tools/call", `"name":"`+tool+`","arguments":`+args, tool)
}

// request sends a request with the members of its params.
func (d door) request(id, method, params, tool string) (int, string) {
	meta := `"_meta":{}`
	if d.now {
		meta = `"_meta":{` + requestMeta + `}`
	}
	if params != "" {
		params += ","
	}
	return d.send(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+params+meta+`}}`, method, tool)
}

// parsed returns an answer, which must be of JSON-RPC.
func parsed(t *testing.T, text string) answer {
	t.Helper()
	a := answer{raw: text}
	if err := json.Unmarshal([]byte(text), &a); err != nil || (a.Result == nil) == (a.Error == nil) || a.ID == nil {
		t.Fatalf("no answer of JSON-RPC: %.300s, %v", text, err)
	}
	return a
}
