package memorytool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
)

// A model speaks the Messages API on the loopback interface: whole answers and streams,
// with the whole history in each request, or on a message thread. Its turns are scripted.
// It answers 400 to a request that the API would refuse.
type model struct {
	url   string
	turns [][]string // the inputs of the calls of each turn; after the last one it says "Done."

	mu       sync.Mutex // guards the fields below
	tools    []json.RawMessage
	history  []json.RawMessage // the messages
	answers  [][]toolResult    // the results of the calls of each turn
	requests []modelRequest
}

// A toolResult is a tool_result block as the model reads it.
type toolResult struct {
	ID      string `json:"tool_use_id"`
	Type    string
	IsError bool `json:"is_error"`
	Content []struct{ Type, Text string }
}

func (r toolResult) text() string {
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		return fmt.Sprintf("not one text: %v", r.Content)
	}
	return r.Content[0].Text
}

type modelRequest struct {
	Stream   bool
	Tools    []json.RawMessage
	Messages []json.RawMessage
	Thread   *struct {
		Type     string
		Previous string `json:"previous_message_id"`
	}
}

func newModel(t testing.TB, turns ...[]string) *model {
	t.Helper()
	m := &model{turns: turns}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	m.url = srv.URL
	return m
}

func (m *model) client() anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(m.url), option.WithAPIKey("none"), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}))
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var asked modelRequest
	if err := m.take(r, body, &asked); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": err.Error()}})
		return
	}
	blocks, stop := m.turn()
	content := "[" + strings.Join(blocks, ",") + "]"
	m.history = append(m.history, json.RawMessage(`{"role":"assistant","content":`+content+`}`))
	id := fmt.Sprintf("msg_%d", len(m.requests))
	if asked.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream(id, blocks, stop))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":%q,"type":"message","role":"assistant","model":"m","content":%s,"stop_reason":%q,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`, id, content, stop)
}

// take checks a request and adds its messages to the history.
func (m *model) take(r *http.Request, body []byte, asked *modelRequest) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		return fmt.Errorf("%s %s", r.Method, r.URL)
	}
	if err := json.Unmarshal(body, asked); err != nil {
		return err
	}
	switch {
	case asked.Thread == nil || asked.Thread.Type == "create":
		m.history = slices.Clone(asked.Messages)
		m.tools = asked.Tools
	case asked.Thread.Type != "continue" || asked.Thread.Previous != fmt.Sprintf("msg_%d", len(m.requests)):
		return fmt.Errorf("the thread is %+v after message %d", asked.Thread, len(m.requests))
	default:
		m.history = append(m.history, asked.Messages...)
	}
	history := make([]anthropic.MessageParam, len(m.history))
	for i, message := range m.history {
		if err := json.Unmarshal(message, &history[i]); err != nil {
			return err
		}
	}
	msgs, err := anthropicmsg.From(history...)
	if err != nil {
		return err
	}
	if problems := conversation.Check(msgs, conversation.Anthropic); problems != nil {
		return fmt.Errorf("message %d: %s", problems[0].Index, problems[0].Text)
	}
	m.requests = append(m.requests, *asked)
	m.hear()
	return nil
}

// hear reads the results in the last message.
func (m *model) hear() {
	var last struct{ Content []toolResult }
	if json.Unmarshal(m.history[len(m.history)-1], &last) != nil {
		return // its content is a text
	}
	var results []toolResult
	for _, r := range last.Content {
		if r.Type == "tool_result" {
			results = append(results, r)
		}
	}
	if len(m.requests) > 1 {
		m.answers = append(m.answers, results)
	}
}

// turn returns the blocks of the next answer.
func (m *model) turn() (blocks []string, stop string) {
	n := len(m.requests)
	if n > len(m.turns) {
		return []string{`{"type":"text","text":"Done."}`}, "end_turn"
	}
	for i, input := range m.turns[n-1] {
		name := "memory"
		if other, args, found := strings.Cut(input, " "); found && other[0] != '{' {
			name, input = other, args
		}
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d_%d","name":%q,"input":%s}`, n, i, name, input))
	}
	return blocks, "tool_use"
}

// stream returns the events of an answer. Inputs come in pieces.
func stream(id string, blocks []string, stop string) string {
	var b bytes.Buffer
	event := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,"+format+"}\n\n", append([]any{name, name}, args...)...)
	}
	event("message_start", `"message":{"id":%q,"type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`, id)
	for i, block := range blocks {
		var use struct {
			Type, ID, Name string
			Input          json.RawMessage
		}
		if err := json.Unmarshal([]byte(block), &use); err != nil {
			panic(err) // the script is wrong
		}
		if use.Type == "text" {
			event("content_block_start", `"index":%d,"content_block":%s`, i, block)
			event("content_block_stop", `"index":%d`, i)
			continue
		}
		event("content_block_start", `"index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}`, i, use.ID, use.Name)
		for piece := range slices.Chunk([]rune(string(use.Input)), 7) {
			text, _ := json.Marshal(string(piece))
			event("content_block_delta", `"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, i, text)
		}
		event("content_block_stop", `"index":%d`, i)
	}
	event("message_delta", `"delta":{"stop_reason":%q},"usage":{"output_tokens":1}`, stop)
	b.WriteString("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	return b.String()
}

// results returns the results of all calls as texts, turn by turn, in the order of the
// calls.
func (m *model) results(t testing.TB) [][]toolResult {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for n, answers := range m.answers {
		if len(answers) != len(m.turns[n]) {
			t.Fatalf("turn %d has %d calls and %d results", n+1, len(m.turns[n]), len(answers))
		}
		for i, r := range answers {
			if want := fmt.Sprintf("toolu_%d_%d", n+1, i); r.ID != want {
				t.Fatalf("turn %d: result %d is of call %s, want %s", n+1, i, r.ID, want)
			}
		}
	}
	return m.answers
}
