package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A twin is one of two servers that get the same requests.
type twin struct {
	*httptest.Server
	server  *Server
	session string
}

// newTwin returns a server whose memory has a few files. Its clock stands still.
func newTwin(t *testing.T, direct bool) *twin {
	t.Helper()
	now := time.Date(2026, 11, 23, 15, 0, 0, 0, time.UTC)
	svc, err := workspace.New(memstore.New(), workspace.Options{Now: func() time.Time { return now }})
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, svc.Close(context.Background())) })
	s, err := New(Options{
		Logger:  slog.New(slog.DiscardHandler),
		IsBound: func(context.Context) bool { return true },
		Workspace: func(_ context.Context, c Call) (*workspace.Workspace, error) {
			if c.AgentID == "panic" {
				panic("a tool that panics")
			}
			return svc.Agent("a")
		},
	})
	testkit.Must(t, err)
	t.Cleanup(s.Close)
	if !direct {
		s.directTools = nil
	}
	w := &twin{Server: serveInner(t, s), server: s}
	w.session = beginInner(t, w.Server)
	ask(t, w.Server, "POST", initializedText, w.session, nil)
	return w
}

// answer returns all that a client sees of an answer.
func (w *twin) answer(t *testing.T, q plainTry) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.URL, strings.NewReader(q.body))
	testkit.Must(t, err)
	for name, value := range q.header {
		if value == "SESSION" {
			value = w.session
		}
		req.Header.Set(name, value)
	}
	if q.host != "" {
		req.Host = q.host
	}
	res, err := w.Client().Do(req)
	testkit.Must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	res.Header.Del("Date")
	return fmt.Sprint(res.Status, res.Header, "\n", strings.ReplaceAll(string(text), w.session, "SESSION"))
}

type plainTry struct {
	header     map[string]string
	body, host string
}

// deep nests deeper than the SDK allows.
var deep = strings.Repeat("[", 1000) + strings.Repeat("]", 1000)

// tryOf returns a request that is plain but for one thing, or for none.
func tryOf(g *rand.Rand) plainTry {
	pick := func(usual string, others ...string) string {
		if g.IntN(12) == 0 {
			return others[g.IntN(len(others))]
		}
		return usual
	}
	tools := []string{"write_file", "edit_file", "read_file", "append_log", "read_log", "list_files", "list_logs", "move_file", "delete_file", "delete_log", "changes", "search", "get_usage_stats"}
	tool := tools[g.IntN(len(tools))]
	args := []string{
		`{"path":"f","content":"<b>&é\u2028\u0000\"x\\"}`, `{"path":"f"}`, `{"path":"l","entry":"one\ntwo"}`, `{"path":"l"}`, `{}`, `{"query":"x"}`, `{"path":"f","old_text":"x","new_text":"y\ud83d\ude00"}`,
		`{"path":"f","new_path":"g"}`, `{"path":"g"}`, `{"since":0,"diffs":true}`, `{"path":"f","since_version":1}`,
	}
	arguments := pick(args[g.IntN(len(args))], `{"path":["f"]}`, `{"path":`+deep+`}`, `{"path":{"a":1}}`, `null`, `[]`, `1`, `"x"`, `{"path":"\ud800"}`, "{\"path\":\"\xff\"}", `{"Path":"f"}`, `{"path":"f","path":"g"}`, ` {"path" : "f" } `,
		`{"agent_id":"panic","path":"f"}`, `{"agent_id":"b"}`, `{"path":"`+strings.Repeat("x", 2000)+`"}`)
	modern := g.IntN(2) == 0
	meta := pick("", `"progressToken":1,`, `"progressToken":"p",`, `"progressToken":[1],`, `"x":"y",`, `"x":{"y":1},`, `"scratchpad/idempotency_key":"k`+fmt.Sprint(g.IntN(50))+`",`, `"scratchpad/idempotency_key":1,`,
		`"scratchpad/idempotency_key":"",`, `"scratchpad/idempotency_key":"\u0041",`, `"io.modelcontextprotocol/logLevel":"debug",`, `"io.modelcontextprotocol/x":1,`, `"x":null,`, `"x":1e999,`, `"progressToken":1.5,`, `"io.modelcontextprotocol/x":`+deep+`,`, `"x":`+deep+`,`)
	name := pick(tool, "nothing", "", "WRITE_FILE")
	q := plainTry{header: map[string]string{"Content-Type": pick("application/json", "application/json; charset=utf-8", "text/plain", "", "Application/JSON", "application/json;")}}
	q.header["Accept"] = pick("application/json, text/event-stream", "text/event-stream,application/json", "*/*", "application/json", "", "application/*, text/*", "application/json;q=1, text/event-stream", "APPLICATION/JSON,TEXT/EVENT-STREAM")
	if modern {
		meta = `"io.modelcontextprotocol/protocolVersion":` + pick(`"2026-07-28"`, `"2025-06-18"`, `"2027-01-01"`, `1`, `null`) + `,` + meta
		meta += pick(`"io.modelcontextprotocol/clientCapabilities":{},`, `"io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{},"elicitation":{"form":{}}},`, `"io.modelcontextprotocol/clientCapabilities":{"roots":1},`, `"io.modelcontextprotocol/clientCapabilities":{"experimental":{"x":`+deep+`}},`, `"io.modelcontextprotocol/clientCapabilities":1,`, `"io.modelcontextprotocol/clientCapabilities":null,`, ``)
		meta += pick(`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},`, ``, `"io.modelcontextprotocol/clientInfo":{},`, `"io.modelcontextprotocol/clientInfo":{"name":"c","title":"T","icons":[]},`, `"io.modelcontextprotocol/clientInfo":1,`,
			`"io.modelcontextprotocol/clientInfo":null,`, `"io.modelcontextprotocol/clientInfo":{"name":1},`, `"io.modelcontextprotocol/clientInfo":{"name":null,"version":"1","websiteUrl":"u"},`)
		q.header["Mcp-Protocol-Version"] = pick(stateless, "2025-06-18", "2027-01-01", "")
		q.header["Mcp-Method"] = pick("tools/call", "tools/list", "")
		q.header["Mcp-Name"] = pick(name, tool, "other", "")
	} else {
		meta += pick("", `"io.modelcontextprotocol/protocolVersion":"2026-07-28",`, `"io.modelcontextprotocol/protocolVersion":"2025-06-18",`)
		q.header["Mcp-Protocol-Version"] = pick("2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05", "1999-01-01", "")
		q.header["Mcp-Session-Id"] = pick("SESSION", "none", "")
	}
	if g.IntN(30) == 0 {
		q.header["Last-Event-Id"] = "1"
	}
	q.host = pick("", "localhost", "127.0.0.1:1", "[::1]", "evil.example", "localhost.evil.example", "LOCALHOST")
	params := fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments) + pick("", `,"x":1`, `,"name":"read_file"`, `,"Name":"x"`, `,"requestState":"s"`, `,"inputResponses":{}`)
	if meta != "" && g.IntN(20) > 0 {
		params += `,"_meta":{` + strings.TrimSuffix(meta, ",") + `}`
	}
	id := pick("1", `"a"`, `"a\u0041"`, `"<&>"`, `"é"`, `""`, `-5`, `0`, `1.5`, `null`, `{}`, `9007199254740993`, `9007199254740992`)
	q.body = pick("", " ", "\n", "\v", "\u00a0") + fmt.Sprintf(`{"jsonrpc":%s,"id":%s,"method":%q,"params":{%s}%s}`, pick(`"2.0"`, `"1.0"`, `2`), id, pick("tools/call", "tools/list", "ping"), params, pick("", `,"x":1`, `,"result":{}`, `,"error":null`)) + pick("", " ", "{}")
	if g.IntN(40) == 0 {
		q.body = strings.Replace(q.body, `"id":1,`, "", 1)
	}
	return q
}

// A client cannot tell a call that runs without the SDK from one that the SDK runs: the
// status, the header and the bytes of the answer are the same, for requests of every kind.
func TestDirect(t *testing.T) {
	direct, slow := newTwin(t, true), newTwin(t, false)
	g := rand.New(rand.NewPCG(1, 1))
	n := testkit.Pick(1000, 10_000, 300_000)
	for range n {
		q := tryOf(g)
		if got, want := direct.answer(t, q), slow.answer(t, q); got != want {
			t.Fatalf("%v %s\n%s\nis answered with\n%s\nand by the SDK with\n%s", q.header, q.host, q.body, got, want)
		}
	}
	if bySDK, all := direct.server.requests.next.Load(), slow.server.requests.next.Load(); all-bySDK < uint64(n)/10 || bySDK < uint64(n)/10 {
		t.Errorf("the SDK got %d of %d requests", bySDK, all)
	} else {
		t.Logf("the SDK got %d of %d requests", bySDK, all)
	}
}

// newWaiting returns a server whose tool get_usage_stats waits until its call is cancelled or
// release is called. begun gets a value for each call that waits, and ended for each that has
// ended, with its error.
func newWaiting(t *testing.T, direct bool) (w *twin, begun chan bool, ended chan error, release func()) {
	t.Helper()
	w = newTwin(t, direct)
	begun, ended = make(chan bool, 10), make(chan error, 10)
	released := make(chan bool)
	find := w.server.o.Workspace
	w.server.o.Workspace = func(ctx context.Context, c Call) (*workspace.Workspace, error) {
		if c.Tool != "get_usage_stats" {
			return find(ctx, c)
		}
		begun <- true
		select {
		case <-ctx.Done():
		case <-released:
		}
		ended <- ctx.Err()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return find(ctx, c)
	}
	return w, begun, ended, sync.OnceFunc(func() { close(released) })
}

const (
	waitText   = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_usage_stats","arguments":{}}}`
	cancelText = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
)

// A client can cancel a call of its session, and of no other session.
func TestDirectCancelled(t *testing.T) {
	for _, direct := range []bool{true, false} {
		w, begun, ended, release := newWaiting(t, direct)
		defer release()
		answer := make(chan string)
		go func() {
			_, text := ask(t, w.Server, "POST", waitText, w.session, nil)
			answer <- text
		}()
		<-begun
		other := beginInner(t, w.Server)
		ask(t, w.Server, "POST", cancelText, other, nil)
		ask(t, w.Server, "POST", strings.Replace(cancelText, ":7", `:"7"`, 1), w.session, nil)
		ask(t, w.Server, "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, w.session, nil)
		select {
		case <-ended:
			t.Fatalf("direct %v: another session, or another id, cancels the call", direct)
		case <-time.After(20 * time.Millisecond):
		}
		if status, text := ask(t, w.Server, "POST", strings.Replace(cancelText, ":7", ":7.0", 1), w.session, nil); status != http.StatusAccepted {
			t.Errorf("direct %v: cancelled: %d %s, want 202", direct, status, text)
		}
		if text := <-answer; !strings.Contains(text, "the call was cancelled") {
			t.Errorf("direct %v: the cancelled call is answered with %s", direct, text)
		}
	}
}

// A call whose id is under way in its session is refused, and is not run. Then the id is free.
func TestDirectTwice(t *testing.T) {
	answers := map[string]bool{}
	for _, direct := range []bool{true, false} {
		w, begun, ended, release := newWaiting(t, direct)
		first := make(chan string)
		go func() {
			_, text := ask(t, w.Server, "POST", waitText, w.session, nil)
			first <- text
		}()
		<-begun
		res := open(t, t.Context(), w.Server, "POST", waitText, w.session, nil)
		text, err := io.ReadAll(res.Body)
		testkit.Must(t, err)
		res.Header.Del("Date")
		answers[fmt.Sprint(res.StatusCode, res.Header, string(text))] = true
		release()
		if text := <-first; strings.Contains(text, "isError") || len(ended) != 1 {
			t.Errorf("direct %v: %d calls have run, the first is answered with %s", direct, len(ended), text)
		}
		if status, text := ask(t, w.Server, "POST", waitText, w.session, nil); status != http.StatusOK {
			t.Errorf("direct %v: the same id later: %d %s", direct, status, text)
		}
	}
	if len(answers) != 1 || !strings.Contains(fmt.Sprint(answers), "400") {
		t.Errorf("the second call is answered with %v, want 400 from both servers", answers)
	}
}

// A session ends when its calls have ended, and then none begins.
func TestDirectOfEndedSession(t *testing.T) {
	for _, direct := range []bool{true, false} {
		w, begun, _, release := newWaiting(t, direct)
		answered, ended := make(chan bool), make(chan bool)
		go func() { ask(t, w.Server, "POST", waitText, w.session, nil); close(answered) }()
		<-begun
		go func() { ask(t, w.Server, "DELETE", "", w.session, nil); close(ended) }()
		select {
		case <-ended:
			t.Errorf("direct %v: DELETE does not wait for a call", direct)
		case <-time.After(20 * time.Millisecond):
		}
		release()
		<-ended
		if status, text := ask(t, w.Server, "POST", waitText, w.session, nil); status != http.StatusNotFound {
			t.Errorf("direct %v: a call after DELETE: %d %s", direct, status, text)
		}
		<-answered
	}
}

// The calls of a session go on when their client has left, until CancelAbandoned. Close waits
// for the others.
func TestCloseWaitsForDirectCalls(t *testing.T) {
	for _, leaves := range []bool{true, false} {
		w, begun, ended, release := newWaiting(t, true)
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "POST", w.URL, strings.NewReader(waitText))
		testkit.Must(t, err)
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {w.session}}
		go func() {
			if res, err := w.Client().Do(req); err == nil {
				res.Body.Close()
			}
		}()
		<-begun
		if leaves {
			leave()
		}
		select {
		case err := <-ended:
			t.Fatalf("the call ends with %v before Close, its client left: %v", err, leaves)
		case <-time.After(20 * time.Millisecond):
		}
		w.server.CancelAbandoned()
		closed := make(chan bool)
		if leaves {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("an abandoned call ends with %v", err)
			}
		}
		go func() { w.server.Close(); close(closed) }()
		if !leaves {
			select {
			case <-closed:
				t.Error("Close does not wait for a call")
			case <-time.After(20 * time.Millisecond):
			}
			release()
			if err := <-ended; err != nil {
				t.Errorf("the call ends with %v", err)
			}
		}
		<-closed
		leave()
		release()
	}
}
