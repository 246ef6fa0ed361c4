package httpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// TestMain runs the server of TestHostileMemory instead if childVariable is set.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := childMain(); err != nil {
			panic(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// goodKey is the credential of a caller who may do all but see metrics. With a name
// behind it, it is that of another caller, and a text behind a "/" is the tenant.
const goodKey = "sp_good"

// verify knows callers by the beginning of their credentials.
func verify(_ context.Context, credential string) (auth.Caller, error) {
	switch name, ok := strings.CutPrefix(credential, goodKey); {
	case ok:
		agents, err := auth.ParseAgents("*")
		_, tenant, _ := strings.Cut(name, "/")
		return auth.Caller{ID: "good" + name, Tenant: cmp.Or(tenant, "local"), Agents: agents, Scopes: auth.Read | auth.Write}, err
	case credential == "sp_metrics":
		return auth.Caller{ID: "metrics", Scopes: auth.Metrics}, nil
	case credential == "sp_down":
		return auth.Caller{}, fmt.Errorf("the store is away: %w", auth.ErrUnavailable)
	}
	return auth.Caller{}, auth.ErrUnknown
}

// newMCP returns the handler of a real server over a real database.
func newMCP(dir string) (h http.Handler, stop func(), err error) {
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "test.db"), sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		return nil, nil, err
	}
	m, err := mcpserver.New(mcpserver.Options{
		Logger:    slog.New(slog.DiscardHandler),
		Workspace: func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) { return svc.Agent(c.AgentID) },
	})
	if err != nil {
		return nil, nil, err
	}
	return m.Handler(), func() { m.Close(); svc.Close(context.Background()); store.Close() }, nil
}

// A served is a server on a loopback address.
type served struct {
	*Server
	address string
	stop    func() error // ends the context of Serve and waits; a second call returns the same
	t       testing.TB
}

// serve serves until the test ends. Without Options.MCP it is real MCP.
func serve(t testing.TB, o Options, change func(*Server)) *served {
	t.Helper()
	if o.MCP == nil {
		h, stop, err := newMCP(t.TempDir())
		testkit.Must(t, err)
		t.Cleanup(stop)
		o.MCP = h
	}
	if o.Keys == nil {
		o.Keys = verify
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := must(New(o))(t)
	if change != nil {
		change(s)
	}
	l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stop := sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { testkit.Must(t, stop()) })
	return &served{s, l.Addr().String(), stop, t}
}

// logTo returns a logger that keeps all in a buffer.
func logTo(b *testkit.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// patience is how long a test waits for what should come in a moment.
const patience = time.Minute

// eventually waits until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal(what)
		}
	}
}

// A client writes bytes as it likes.
type client struct {
	net.Conn
	in *bufio.Reader
	t  testing.TB
}

// dial connects to the server until the test ends.
func (s *served) dial() *client {
	s.t.Helper()
	c := must(net.Dial("tcp", s.address))(s.t)
	s.t.Cleanup(func() { c.Close() })
	testkit.Must(s.t, c.SetDeadline(time.Now().Add(patience)))
	return &client{c, bufio.NewReader(c), s.t}
}

// send writes a text; the server may refuse to take all of it.
func (c *client) send(text string) *client {
	_, _ = io.WriteString(c, text)
	return c
}

// An answer is what came back: a status of 0 is a closed connection.
type answer struct {
	status int
	header http.Header
	text   string
	close  bool // the server said that it closes the connection
}

// read reads an answer to a request of a method.
func (c *client) read(method string) answer {
	c.t.Helper()
	_ = c.SetDeadline(time.Now().Add(patience)) // the connection may be closed
	res, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		return answer{text: err.Error()}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{text: err.Error()}
	}
	return answer{res.StatusCode, res.Header, string(text), res.Close}
}

// isClosed reports whether the server closes the connection.
func (c *client) isClosed() bool {
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err := io.Copy(io.Discard, c.in)
	return err == nil || !os.IsTimeout(err)
}

// ask sends one request on a connection of its own. Each header is a line.
func (s *served) ask(method, path, body string, headers ...string) answer {
	s.t.Helper()
	return s.dial().send(request(method, path, body, headers...)).read(method)
}

// request returns the bytes of a request, with the Host localhost if no other is given.
func request(method, path, body string, headers ...string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, path)
	if !strings.Contains(strings.Join(headers, "\n"), "Host:") {
		headers = append(headers, "Host: localhost")
	}
	if body != "" {
		headers = append(headers, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	fmt.Fprintf(&b, "%s\r\n\r\n%s", strings.Join(headers, "\r\n"), body)
	return b.String()
}

const withKey = "Authorization: Bearer " + goodKey

// call returns the bytes of a tool call, and call2025 those of a protocol with sessions.
func call(tool, args string, headers ...string) string {
	headers = append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream",
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: "+tool)
	return request("POST", "/mcp", callBody(tool, args), headers...)
}

func callBody(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}`, tool, args)
}

// appends returns a call that appends to a log, and isAppended whether it was done.
func appends() string {
	return call("append_log", `{"agent_id":"a","path":"log","entry":"x"}`, withKey)
}

func (a answer) isAppended() bool { return a.status == 200 && strings.Contains(a.text, "entry_id") }

func (a answer) String() string { return fmt.Sprintf("%d %.300s", a.status, a.text) }

// mustAppend makes a good call on a connection of its own.
func (s *served) mustAppend() {
	s.t.Helper()
	if a := s.dial().send(appends()).read("POST"); !a.isAppended() {
		s.t.Errorf("a good call: %v", a)
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
