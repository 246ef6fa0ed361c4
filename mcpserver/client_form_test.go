package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Clients convert values below the model. Each tool takes a number and a boolean as text, and
// any JSON for a text, by every door.
func TestTypesThatClientsSend(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"o","content":{ "a" : 1 }}`, `{ "a" : 1 }`},
		{"write_file", `{"path":"o","content":[1, "\u00e9",null]}`, `[1, "\u00e9",null]`},
		{"write_file", `{"path":"o","content":1.50}`, `1.50`},
		{"write_file", `{"path":"o","content":true}`, `true`},
		{"edit_file", `{"path":"o","old_text":"true","new_text":{"b":[]}}`, `{"b":[]}`},
		{"edit_file", `{"path":"o","old_text":{"b":[]},"new_text":7,"all":"true"}`, `7`},
		{"write_file", `"{\"path\":\"o\",\"content\":\"twice\"}"`, "twice"},
		{"append_log", `{"path":"g","entry":{"a":1}}`, ""},
	} {
		svc := newService(t, workspace.Options{})
		ws := agentOf(t, svc, "a")
		for i, d := range doors(t, newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a")})) {
			before := map[string]string{`"old_text":"true"`: "true", `"old_text":{`: `{"b":[]}`}
			for part, content := range before {
				if strings.Contains(c.args, part) {
					must(ws.WriteFile(t.Context(), "o", []byte(content), workspace.WriteOptions{}))(t)
				}
			}
			_, text := d.call("1", c.tool, c.args)
			if a := parsed(t, text); a.Error != nil || strings.Contains(text, `"isError":true`) {
				t.Errorf("%s: %s %s: %s", d.name, c.tool, c.args, text)
				continue
			}
			if c.tool == "append_log" {
				if page := must(ws.ReadLog(t.Context(), "g", workspace.ReadLogOptions{}))(t); len(page.Entries) != i+1 || string(page.Entries[i].Content) != `{"a":1}` {
					t.Errorf("%s: the log has %+v", d.name, page.Entries)
				}
			} else if got := must(ws.ReadFile(t.Context(), "o", workspace.ReadOptions{}))(t); string(got.Content) != c.want {
				t.Errorf("%s: %s %s stores %q, want %q", d.name, c.tool, c.args, got.Content, c.want)
			}
		}
	}
}

// must returns a value, or ends the test with the error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		testkit.Must(t, err)
		return value
	}
}

// In PHP an empty object is an empty array. It is an object wherever the protocol has one, and
// no error names a type of Go.
func TestEmptyArrays(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	server := newServer(t, "a")
	for _, d := range doors(t, server) {
		for _, args := range []string{"[]", "[ ]", `""`, "{}", "null"} {
			if _, text := d.call("1", "get_usage_stats", args); parsed(t, text).Error != nil || strings.Contains(text, "isError") {
				t.Errorf("%s: get_usage_stats with %s: %s", d.name, args, text)
			}
		}
		if d.now {
			meta := strings.Replace(requestMeta, `clientCapabilities":{}`, `clientCapabilities":[]`, 1)
			text := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + meta + `}}}`
			if _, text := d.send(text, "tools/list", ""); parsed(t, text).Result == nil {
				t.Errorf("%s: no capabilities: %s", d.name, text)
			}
			continue
		}
		for _, params := range []string{"[]", "[ ]", "{}", "null", `{"_meta":[]}`} {
			if _, text := d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":`+params+`}`, "tools/list", ""); parsed(t, text).Result == nil {
				t.Errorf("%s: tools/list with the params %s: %s", d.name, params, text)
			}
		}
	}
	h := serveHTTP(t, server)
	for _, capabilities := range []string{`[]`, `[ ]`, `{}`, `{"roots":[],"sampling":[],"elicitation":[],"experimental":[],"extensions":{"x/y":[]}}`, "null"} {
		text := strings.Replace(initialize, `"capabilities":{}`, `"capabilities":`+capabilities, 1)
		w := newWire(t, server)
		w.send(text + "\n")
		if a := w.must(); a.Result == nil {
			t.Errorf("initialize with the capabilities %s: %s", capabilities, a.raw)
		}
		if status, text := postTo(t, h, text, nil); status != 200 || parsed(t, text).Result == nil {
			t.Errorf("initialize by HTTP with the capabilities %s: %d %s", capabilities, status, text)
		}
	}
}

// An error for params of another type says in words of JSON what is wrong.
func TestErrorsNameNoGoTypes(t *testing.T) {
	t.Parallel()
	testkit.SkipInShort(t)
	kinds := []string{`1.5`, `[1]`, `"x"`, `{"a":[1]}`, `null`}
	members := []string{"protocolVersion", "capabilities", "clientInfo", "cursor", "name", "arguments", "uri", "ref", "argument", "context", "level", "notifications", "requestId", "progressToken", "_meta", "inputResponses", "requestState"}
	for _, d := range doors(t, newServer(t, "a")) {
		for _, method := range []string{"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "ping", "initialize", "server/discover"} {
			all := slices.Clone(kinds)
			for _, member := range members {
				for _, kind := range kinds[:testkit.Pick(2, 5, 5)] {
					if member != "_meta" && d.now {
						all = append(all, fmt.Sprintf(`{%q:%s,"_meta":{%s}}`, member, kind, requestMeta))
					} else {
						all = append(all, fmt.Sprintf(`{%q:%s}`, member, kind))
					}
				}
			}
			for _, params := range all {
				_, text := d.send(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, method, "x")
				for _, word := range []string{"unmarshal", "mcp.", "jsonrpc2", "json:", "Go value", "struct", "float64", "int64", "map["} {
					if a := parsed(t, text); a.Error != nil && strings.Contains(a.Error.Message, word) {
						t.Errorf("%s: %s with %s: %s", d.name, method, params, text)
					}
				}
			}
		}
	}
}

// A byte order mark stands before many texts that come from Windows.
func TestByteOrderMark(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	const mark = "\ufeff"
	server := newServer(t, "a")
	for _, d := range doors(t, server) {
		text := func(body string) string { _, text := d.send(body, "tools/list", ""); return text }
		list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		if d.now {
			list = strings.TrimSpace(method("1", "tools/list", "", ""))
		}
		for _, body := range []string{mark + list, mark + " \t" + list, mark + list + "\r"} {
			if parsed(t, text(body)).Result == nil {
				t.Errorf("%s: %q: %s", d.name, body, text(body))
			}
		}
		wide, big := "", ""
		for _, c := range list {
			wide, big = wide+string(c)+"\x00", big+"\x00"+string(c)
		}
		for name, body := range map[string]string{"UTF-16": "\xff\xfe" + wide, "UTF-16 ": wide, " UTF-16": "\xfe\xff" + big, " UTF-16 ": big, "UTF-32": "\xff\xfe\x00\x00{\x00\x00\x00", " UTF-32": "\x00\x00\xfe\xff\x00\x00\x00{"} {
			if a := parsed(t, text(body)); a.Error == nil || a.Error.Code != -32700 || !strings.Contains(a.Error.Message, "this is UTF-16 or UTF-32; send UTF-8") {
				t.Errorf("%s: %s: %s", d.name, name, a.raw)
			}
		}
		if a := parsed(t, text(list[:5]+mark+list[5:])); a.Error == nil {
			t.Errorf("%s: a mark in the middle: %s", d.name, a.raw)
		}
	}
	w := newWire(t, server)
	w.send(mark + "\n" + mark + strings.ReplaceAll(initialize, `"id":1`, `"id":0`) + "\r\n")
	if a := w.must(); string(a.ID) != "0" || a.Result == nil {
		t.Errorf("initialize after a mark: %s", a.raw)
	}
}

// Each number and each string is a good id, and comes back as it was sent.
func TestIDsAsSent(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, d := range doors(t, newServer(t, "a")) {
		for _, id := range []string{
			"0", "-0", "1.0", "1.50", "1e3", "1E+3", "-7", "0.1", "1758000000000000000", "9007199254740992", "9007199254740993", "-9007199254740993", "123456789012345678901234567890", "1e400", "1e-400",
			`""`, `"x"`, `"1"`, `"1.0"`, `"a\/b"`, `"\u0041\n\""`, `"<&>"`, `"é日"`, `"\u2028"`, `"` + "\u2028" + `"`, `"\ud83d\ude00"`, `"\ud800"`, `"\\ud800"`, `"scratchpad-id:1.5"`, `"` + strings.Repeat("x", 5000) + `\u0041"`,
		} {
			for _, tool := range []string{"get_usage_stats", "none"} { // a result, and an error of the protocol
				_, text := d.call(id, tool, "{}")
				if a := parsed(t, text); string(a.ID) != id || (a.Result == nil) != (tool == "none") {
					t.Errorf("%s: the id %.80s comes back in %.200s", d.name, id, text)
				}
			}
			if _, text := d.send(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list","params":7}`, "tools/list", ""); string(parsed(t, text).ID) != id {
				t.Errorf("%s: the id %.80s of a bad request comes back in %.200s", d.name, id, text)
			}
		}
	}
}

// Nobody answers an answer: two servers that are joined would go on for ever.
func TestAnswersAreNotAnswered(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	server := newServer(t, "a")
	h := serveHTTP(t, server)
	session := beginSession(t, h, "")
	w := newWire(t, server)
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","result":null,"error":null}`, `{"jsonrpc":"2.0","id":1.5,"result":7}`, `{"id":1,"result":{}}`, `{"jsonrpc":"1.0","id":{},"error":"x"}`, `{"jsonrpc":"2.0","id":[],"error":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":null,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, `{"jsonrpc":"2.0","id":1,"id":2,"error":{}}`, `{"error":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":[` + strings.Repeat("1,", 20_000) + `1]}`, `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	} {
		w.send(text + "\n")
		w.alive("9") // the next answer is that of another request
		for name, header := range map[string]map[string]string{"no session": nil, "a session": as("", session), "2026": {"Mcp-Protocol-Version": modern, "Mcp-Method": "x"}} {
			status, _, answer := exchange(t, h, t.Context(), "POST", text, header)
			if status != 202 || strings.Contains(answer, "jsonrpc") {
				t.Errorf("%s: %.100s is answered with %d %s", name, text, status, answer)
			}
		}
	}
}

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
