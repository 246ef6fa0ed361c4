package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A model is the API of a model's provider on loopback: Anthropic's Messages, or OpenAI's
// Responses. It asks its host to make some requests, one after the other, and then says
// done. It keeps what it is asked.
type model struct {
	url string
	t   *testing.T

	mu       sync.Mutex // guards the following
	asked    []string   // the bodies of requests for a message
	requests []request  // that are not yet made
	answers  []answer
	calls    int // of a tool, so far
}

func newModel(t *testing.T, requests ...request) *model {
	m := &model{t: t, requests: requests}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// first returns the first request since the last call of it.
func (m *model) first(t *testing.T) string {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.asked) == 0 {
		t.Fatal("the model was not asked")
	}
	body := m.asked[0]
	m.asked = nil
	return body
}

// ServeHTTP implements [http.Handler].
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d, ok := dialects[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, string(body))
	events := d.say("done")
	if call := m.next(r, d.read(m.t, body)); call != nil {
		arguments, err := json.Marshal(call.Params["arguments"])
		if err != nil {
			m.t.Error(err)
		}
		m.calls++
		events = d.call(fmt.Sprint("call_", m.calls), call.Params["name"].(string), string(arguments))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range events {
		var kind struct{ Type string }
		if err := json.Unmarshal([]byte(event), &kind); err != nil {
			m.t.Error(err)
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind.Type, event)
	}
}

// next takes the answer to the last call, and returns the next one. What comes before it
// needs no call. nil: there is none.
func (m *model) next(r *http.Request, seen conversation) *request {
	if m.calls > 0 && len(m.requests) > 0 {
		if len(seen.results) != m.calls {
			m.t.Errorf("the model is told the results of %d calls, want %d", len(seen.results), m.calls)
			return nil
		}
		m.answers = append(m.answers, seen.results[m.calls-1])
		m.requests = m.requests[1:]
	}
	for ; len(m.requests) > 0; m.requests = m.requests[1:] {
		switch next := m.requests[0]; next.Method {
		case "tools/call":
			return &next
		case "tools/list":
			m.answers = append(m.answers, seen.tools)
		case pausing:
			if err := pause(r.Context(), next); err != nil {
				m.t.Error(err)
			}
			m.answers = append(m.answers, answer{})
		default:
			m.t.Errorf("a model cannot ask for %s", next.Method)
		}
	}
	return nil
}

// A conversation is what a model knows of the tools of a server and of its calls.
type conversation struct {
	tools   answer
	results []answer
}

// A dialect is the API of a provider.
type dialect struct {
	read func(t *testing.T, body []byte) conversation
	say  func(text string) (events []string)
	call func(id, tool, arguments string) (events []string)
}

var dialects = map[string]dialect{
	"/v1/messages":  {readMessages, sayMessage, callMessage},
	"/v1/responses": {readResponses, sayResponse, callResponse},
}

// prefix is before the names of tools. It names the server in the host's configuration.
const prefix = "mcp__scratchpad__"

func readMessages(t *testing.T, body []byte) (c conversation) {
	var asked struct {
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		t.Error(err)
	}
	c.tools.AgentID = strings.Contains(string(body), `"agent_id":{`)
	for _, tool := range asked.Tools {
		if name, ok := strings.CutPrefix(tool.Name, prefix); ok {
			c.tools.Blocks = append(c.tools.Blocks, name)
		}
	}
	slices.Sort(c.tools.Blocks)
	for _, message := range asked.Messages {
		var blocks []struct {
			Type    string
			Content json.RawMessage
			IsError bool `json:"is_error"`
		}
		_ = json.Unmarshal(message.Content, &blocks) // it may be a text, which has no results
		for _, b := range blocks {
			if b.Type == "tool_result" {
				c.results = append(c.results, answer{Blocks: texts(t, b.Content), IsError: b.IsError})
			}
		}
	}
	return c
}

// texts returns a text, or the texts of blocks.
func texts(t *testing.T, content json.RawMessage) (all []string) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []string{text}
	}
	var blocks []struct{ Text string }
	if err := json.Unmarshal(content, &blocks); err != nil {
		t.Error(err)
	}
	for _, b := range blocks {
		all = append(all, b.Text)
	}
	return all
}

func messageEvents(content, delta, reason string) []string {
	return []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":` + content + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`,
	}
}

func sayMessage(text string) []string {
	return messageEvents(`{"type":"text","text":""}`, fmt.Sprintf(`{"type":"text_delta","text":%q}`, text), "end_turn")
}

func callMessage(id, tool, arguments string) []string {
	if !strings.HasPrefix(tool, "mcp__") { // of another server
		tool = prefix + tool
	}
	return messageEvents(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, id, tool),
		fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quote(arguments)), "tool_use")
}

func readResponses(t *testing.T, body []byte) (c conversation) {
	var asked struct {
		Tools []struct {
			Name  string
			Tools []struct{ Name string }
		}
		Input []struct {
			Type   string
			Output json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		t.Error(err)
	}
	c.tools.AgentID = strings.Contains(string(body), `"agent_id":{`)
	for _, space := range asked.Tools {
		for _, tool := range space.Tools {
			if space.Name+"__" == prefix {
				c.tools.Blocks = append(c.tools.Blocks, tool.Name)
			}
		}
	}
	slices.Sort(c.tools.Blocks)
	for _, item := range asked.Input {
		if item.Type == "function_call_output" {
			c.results = append(c.results, answer{Blocks: texts(t, item.Output)})
		}
	}
	return c
}

func responseEvents(item string) []string {
	return []string{
		`{"type":"response.created","response":{"id":"resp_1"}}`,
		`{"type":"response.output_item.done","item":` + item + `}`,
		`{"type":"response.completed","response":{"id":"resp_1","usage":{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}}`,
	}
}

func sayResponse(text string) []string {
	return responseEvents(fmt.Sprintf(`{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":%q}]}`, text))
}

func callResponse(id, tool, arguments string) []string {
	return responseEvents(fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":%[1]q,"name":%q,"namespace":%q,"arguments":%s}`, id, tool, strings.TrimSuffix(prefix, "__"), quote(arguments)))
}

// quote returns a text in JSON.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}
