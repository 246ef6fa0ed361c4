package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

// A wire is a client that writes any text, even one that is not a message. Each line that
// comes back must be one JSON-RPC message.
type wire struct {
	t      testing.TB
	to     *io.PipeWriter
	cancel context.CancelFunc // ends the server's context
	ran    chan error         // what Run returned
	lines  chan []byte        // closed at the end of what the server writes

	patience time.Duration // with an answer
}

func newWire(t testing.TB, s *mcpserver.Server) *wire {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	w := &wire{t: t, to: toServer, cancel: cancel, ran: make(chan error, 1), lines: make(chan []byte, 1000), patience: maxWait}
	go func() {
		err := s.Run(ctx, fromClient, toClient)
		toClient.Close()
		w.ran <- err
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(fromServer)
		for {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				w.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		w.to.Close()
		cancel()
		for range w.lines {
		}
	})
	return w
}

// answer is a line from the server.
type answer struct {
	raw    string
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (w *wire) send(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.to, text); err != nil {
		w.t.Errorf("send: %v", err)
	}
}

// next returns the next answer. ok is false after the last one.
func (w *wire) next() (a answer, ok bool) {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			return a, false
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&a); err != nil || bytes.IndexByte(line, '\n') != len(line)-1 || a.Result == nil == (a.Error == nil) {
			w.t.Fatalf("the server wrote what is no answer: %.200q, %v", line, err)
		}
		a.raw = string(line)
		return a, true
	case <-time.After(w.patience):
		w.t.Fatal("no answer")
		return a, false
	}
}

func (w *wire) must() answer {
	w.t.Helper()
	a, ok := w.next()
	if !ok {
		w.t.Fatal("the connection ended")
	}
	return a
}

// alive makes a call that must be answered, with its own id.
func (w *wire) alive(id string) {
	w.t.Helper()
	w.send(request(id, "get_usage_stats", `{}`))
	if a := w.must(); string(a.ID) != id || a.Result == nil {
		w.t.Fatalf("the request after it was answered with %s, want the result of %s", a.raw, id)
	}
}

// end returns the result of Run, which must come within a time.
func (w *wire) end(within time.Duration) error {
	w.t.Helper()
	select {
	case err := <-w.ran:
		return err
	case <-time.After(within):
		w.t.Fatalf("Run has not returned after %v", within)
		return nil
	}
}

const requestMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

// request returns a line that calls a tool. id and args are JSON.
func request(id, tool, args string) string { return requestWith(id, tool, args, "") }

// requestWith returns a request with more in _meta; meta begins with a comma.
func requestWith(id, tool, args, meta string) string {
	name, err := json.Marshal(tool)
	if err != nil {
		panic(err)
	}
	return method(id, "tools/call", fmt.Sprintf(`"name":%s,"arguments":%s`, name, args), meta)
}

func method(id, name, params, meta string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{%s%s}}}`, id, name, params, requestMeta, meta) + "\n"
}

// tool returns the text of a tool's answer, and whether it is an error.
func (a answer) tool(t testing.TB) (text string, isError bool) {
	t.Helper()
	var res struct {
		IsError bool
		Content []struct{ Text string }
	}
	if a.Error != nil {
		t.Fatalf("a protocol error, want a tool's answer: %s", a.raw)
	}
	testkit.Must(t, json.Unmarshal(a.Result, &res))
	var texts []string
	for _, c := range res.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n"), res.IsError
}

// The protocols of the two eras.
const (
	modern = "2026-07-28"
	legacy = "2025-06-18"
)

// connect runs the server over a pair of pipes, as over stdio, with a real client.
func connect(t testing.TB, s *mcpserver.Server) *mcp.ClientSession {
	t.Helper()
	return connectAs(t, s, modern, &mcp.Implementation{Name: "test-client", Version: "1.2"})
}

func connectAs(t testing.TB, s *mcpserver.Server, protocol string, who *mcp.Implementation) *mcp.ClientSession {
	t.Helper()
	return connectClient(t, s, protocol, mcp.NewClient(who, nil))
}

func connectClient(t testing.TB, s *mcpserver.Server, protocol string, client *mcp.Client) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ran := make(chan error, 1)
	go func() {
		err := s.Run(context.Background(), fromClient, toClient)
		toClient.Close()
		ran <- err
	}()
	session := must(client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: protocol}))(t)
	t.Cleanup(func() {
		session.Close()
		if err := <-ran; err != nil {
			t.Errorf("Run() = %v, want nil at the end of the input", err)
		}
	})
	return session
}

// call returns the text blocks of a tool's answer.
func call(t testing.TB, s *mcp.ClientSession, tool string, args any) (blocks []string, isError bool) {
	t.Helper()
	return callWith(t, s, &mcp.CallToolParams{Name: tool, Arguments: args})
}

func callWith(t testing.TB, s *mcp.ClientSession, p *mcp.CallToolParams) (blocks []string, isError bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), p)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	for _, c := range res.Content {
		blocks = append(blocks, c.(*mcp.TextContent).Text)
	}
	if res.StructuredContent != nil {
		t.Errorf("%s: the answer has structured content, which hides its text from the model", p.Name)
	}
	return blocks, res.IsError
}

// mustCall is call for a call that must succeed.
func mustCall(t testing.TB, s *mcp.ClientSession, tool string, args any) []string {
	t.Helper()
	blocks, isError := call(t, s, tool, args)
	if isError {
		t.Fatalf("%s %v = %q, want no error", tool, args, blocks)
	}
	return blocks
}
