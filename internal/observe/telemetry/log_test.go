package telemetry

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

// lines waits until the log has n lines, and returns them.
func lines(t *testing.T, b *testkit.Buffer, n int) []string {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		if all := slices.Collect(strings.Lines(b.String())); len(all) >= n {
			return all
		}
	}
	t.Fatalf("the log has no %d lines:\n%s", n, b.String())
	return nil
}

// The line of a call has these fields and no others.
func TestLogFields(t *testing.T) {
	var b testkit.Buffer
	url, _ := serve(t, Options{Calls: slog.New(slog.NewJSONHandler(&b, nil)), RequestID: requestID})
	call(t, connect(t, url, nil, tester), "write_file", map[string]any{"agent_id": "alice", "path": "p", "content": "text"})
	var line map[string]any
	for n := 1; line["tool"] != "write_file"; n++ { // the lines before are of the handshake
		line = nil
		testkit.Must(t, json.Unmarshal([]byte(lines(t, &b, n)[n-1]), &line))
	}
	for name, want := range map[string]any{
		"level": "INFO", "msg": "call", "request": "r-1", "key": "k1234567", "tenant": "acme", "agent": "alice", "tool": "write_file", "outcome": "ok",
	} {
		if line[name] != want {
			t.Errorf("%s is %v, want %v", name, line[name], want)
		}
	}
	for _, name := range []string{"ms", "bytes_in", "bytes_out"} {
		if n, ok := line[name].(float64); !ok || n <= 0 {
			t.Errorf("%s is %v", name, line[name])
		}
	}
	if len(line) != 12 { // and the time
		t.Errorf("the line has %d fields: %v", len(line), line)
	}
}

// The line of a request to the console has these fields and no others.
func TestLogOfConsole(t *testing.T) {
	var b testkit.Buffer
	tel := newTelemetry(t, Options{Calls: slog.New(slog.NewJSONHandler(&b, nil)), RequestID: requestID})
	tel.Visited(t.Context(), httpserver.Visit{Route: "GET /a/{agent}/files/{path...}", Key: "k1234567", Status: 404, Took: 1500 * time.Microsecond})
	var line map[string]any
	testkit.Must(t, json.Unmarshal([]byte(b.String()), &line))
	delete(line, "time")
	want := map[string]any{"level": "INFO", "msg": "page", "request": "r-1", "key": "k1234567", "route": "GET /a/{agent}/files/{path...}", "status": 404.0, "ms": 1.5}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("the line (-want +got):\n%s", diff)
	}
}

const canary = "CANARY"

// evil calls put a canary wherever a caller can put a text.
func evilCalls(t *testing.T, client *mcp.ClientSession) (calls int) {
	t.Helper()
	text := func(n int) string { return fmt.Sprintf("%s-%d\nlevel=ERROR msg=forged", canary, n) }
	meta := mcp.Meta{"scratchpad/idempotency_key": canary, "progressToken": canary, canary: canary}
	for n, c := range []mcp.CallToolParams{
		{Name: "write_file", Arguments: map[string]any{"agent_id": "a", "path": canary + "/file.md", "content": canary}},
		{Name: "append_log", Arguments: map[string]any{"agent_id": "a", "path": canary, "entry": canary}},
		{Name: "read_file", Arguments: map[string]any{"agent_id": "a", "path": canary + "/none"}},
		{Name: "search", Arguments: map[string]any{"agent_id": "a", "query": canary}},
		{Name: "edit_file", Arguments: map[string]any{"agent_id": "a", "path": canary + "/file.md", "old_string": canary + "?", "new_string": canary}},
		{Name: "summarize_file", Arguments: map[string]any{"agent_id": "a", "path": canary + "/file.md"}},
		{Name: "read_file", Arguments: map[string]any{"agent_id": text(1), "path": canary}},
		{Name: text(2), Arguments: map[string]any{canary: canary}},
		{Name: "read_file", Arguments: map[string]any{"agent_id": "a", canary: text(3)}},
		{Name: "read_file", Arguments: canary},
	} {
		c.Meta = meta
		if _, err := client.CallTool(t.Context(), &c); err != nil && n < 6 {
			t.Errorf("call %d: %v", n, err)
		}
		calls++
	}
	client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scratchpad://a/" + canary})
	client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///" + canary})
	client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: canary})
	return calls + 3
}

// Nothing that a caller writes gets into the log, the metrics or the traces.
func TestNothingLeaks(t *testing.T) {
	testkit.SkipInShort(t)
	for name, handler := range map[string]func(*testkit.Buffer) slog.Handler{
		"Text": func(b *testkit.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"JSON": func(b *testkit.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var b testkit.Buffer
			to := newReceiver(t)
			url, tel := serve(t, Options{Calls: slog.New(handler(&b)), Logger: slog.New(handler(&b))})
			client := connect(t, url, headers{
				"Authorization": "Bearer " + canary, "Cookie": canary, "User-Agent": canary, "X-Request-Id": canary, "Tracestate": "a=" + canary,
				"Baggage": "a=" + canary, "X-Forwarded-For": canary,
			}, &mcp.Implementation{Name: canary, Version: canary, Title: canary})
			calls := evilCalls(t, client)
			post(t, url, `{"jsonrpc":"2.0","id":"`+canary+`","method":"`+canary+`"}`)
			post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"`+canary+`"}`)
			lines(t, &b, calls)
			text := scrape(t, tel)
			testkit.Must(t, tel.Close(t.Context()))
			spans := to.spans(t)
			if len(spans) < calls {
				t.Errorf("%d calls made %d spans", calls, len(spans))
			}
			for where, text := range map[string]string{"log": b.String(), "metrics": text, "traces": to.all()} {
				if strings.Contains(strings.ToUpper(text), canary) || strings.Contains(text, "forged") {
					t.Errorf("the %s:\n%s", where, text)
				}
				if len(text) < 1000 {
					t.Errorf("the %s: only %q", where, text)
				}
			}
		})
	}
}

func post(t *testing.T, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	testkit.Must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	testkit.Must(t, err)
	res.Body.Close()
}

// A bound caller's agent is logged although the call does not name it.
func TestLogOfBoundCaller(t *testing.T) {
	agents, err := auth.ParseAgents("alice")
	testkit.Must(t, err)
	for _, c := range []struct{ named, want string }{{"", "alice"}, {"bob", "bob"}} {
		if got := agentOf(mcpserver.Call{AgentID: c.named}, auth.Caller{Agents: agents}); got != c.want {
			t.Errorf("the agent is %q, want %q", got, c.want)
		}
	}
}
