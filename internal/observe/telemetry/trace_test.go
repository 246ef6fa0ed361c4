package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func requestID(context.Context) string { return "r-1" }

// A receiver takes spans over HTTP, as an endpoint does. The environment names it.
type receiver struct {
	url string

	mu      sync.Mutex // guards the following
	bodies  []string
	headers http.Header
	status  int           // of the answers; 0: 200
	enter   chan struct{} // if not nil: each request waits until it is closed
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	server := httptest.NewServer(r)
	r.url = server.URL + "/v1/traces"
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", r.url)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if r.enter != nil {
		select {
		case <-r.enter:
		case <-req.Context().Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers = req.Header
	if r.status != 0 {
		w.WriteHeader(r.status)
		return
	}
	r.bodies = append(r.bodies, string(body))
}

func (r *receiver) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.bodies, "\n")
}

// An otlpSpan is a span in the JSON of OTLP.
type otlpSpan struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                trace.SpanKind
	Began                               string `json:"startTimeUnixNano"`
	Ended                               string `json:"endTimeUnixNano"`
	Attributes                          []struct {
		Key   string
		Value struct {
			Text string `json:"stringValue"`
		}
	}
	Status otlpStatus
}

type otlpStatus struct {
	Code    int
	Message string
}

// spans returns the spans that have come.
func (r *receiver) spans(t *testing.T) (all []otlpSpan) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.bodies {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []otlpSpan }
			}
		}
		testkit.Must(t, json.Unmarshal([]byte(body), &request))
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					s.TraceID, s.SpanID, s.ParentSpanID = strings.ToLower(s.TraceID), strings.ToLower(s.SpanID), strings.ToLower(s.ParentSpanID)
					all = append(all, s)
				}
			}
		}
	}
	return all
}

const traceID, spanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

// A call of a real server makes spans of the tool, the workspace and the store, below the
// span that its request names.
func TestTraceOfACall(t *testing.T) {
	to := newReceiver(t)
	var log testkit.Buffer
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Key=secret")
	url, tel := serve(t, Options{Calls: slog.New(slog.NewJSONHandler(&log, nil))})
	client := connect(t, url, headers{"Traceparent": "00-" + traceID + "-" + spanID + "-01"}, tester)
	call(t, client, "write_file", map[string]any{"agent_id": "alice", "path": "p", "content": "text"})
	call(t, client, "read_file", map[string]any{"agent_id": "alice", "path": "none"})
	client.Close()
	for began := time.Now(); !strings.Contains(log.String(), `"tool":"read_file"`) && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) { // a call ends after its answer, and a line is the last of it
	}
	testkit.Must(t, tel.Close(t.Context()))
	byID, byName := map[string]otlpSpan{}, map[string]otlpSpan{}
	for _, s := range to.spans(t) {
		if s.TraceID != traceID || s.Began > s.Ended || len(s.SpanID) != 16 {
			t.Errorf("span %+v", s)
		}
		byID[s.SpanID], byName[s.Name] = s, s
	}
	for name, kind := range map[string]trace.SpanKind{"write_file": trace.SpanKindServer, "read_file": trace.SpanKindServer, "workspace": trace.SpanKindInternal, "store.update": trace.SpanKindClient, "store.view": trace.SpanKindClient} {
		if s, ok := byName[name]; !ok || s.Kind != kind {
			t.Errorf("span %s: %+v", name, s)
		}
	}
	work := byID[byName["store.update"].ParentSpanID]
	tool := byID[work.ParentSpanID]
	if work.Name != "workspace" || tool.Name != "write_file" || tool.ParentSpanID != spanID {
		t.Errorf("the store's span is below %+v, and that below %+v", work, tool)
	}
	if read := byName["read_file"]; read.Status != (otlpStatus{2, "not_found"}) || tool.Status != (otlpStatus{}) {
		t.Errorf("status %+v and %+v", read.Status, tool.Status)
	}
	want := "scratchpad.tool=write_file scratchpad.outcome=ok scratchpad.tenant=acme scratchpad.agent=alice"
	var have []string
	for _, a := range tool.Attributes {
		have = append(have, a.Key+"="+a.Value.Text)
	}
	if got := strings.Join(have, " "); got != want {
		t.Errorf("attributes %s, want %s", got, want)
	}
	if to.headers.Get("X-Key") != "secret" || to.headers.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", to.headers)
	}
}

// endSpans ends n spans.
func endSpans(tel *Telemetry, n int) {
	for range n {
		_, end := tel.Around(context.Background(), mcpserver.Call{Tool: "ping"})
		end(mcpserver.Outcome{})
	}
}

// An endpoint that hangs keeps no call. What does not fit is dropped and counted.
func TestTraceEndpointHangs(t *testing.T) {
	testkit.SkipUnlessLong(t) // it waits for seconds
	to := newReceiver(t)
	to.enter = make(chan struct{})
	tel := newTelemetry(t, Options{Logger: slog.New(slog.DiscardHandler)})
	const calls = 10_000
	began := time.Now()
	endSpans(tel, calls)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the calls took %v", took)
	}
	if got := tel.tracer.stats(); got != (traceStats{0, calls - maxWaiting}) {
		t.Errorf("while it hangs: %+v", got)
	}
	if got := value(scrape(t, tel), "scratchpad_spans_dropped_total"); got != fmt.Sprint(calls-maxWaiting) {
		t.Errorf("the metric says %s", got)
	}
	began = time.Now()
	if err := tel.Close(t.Context()); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprint(calls)) {
		t.Errorf("Close = %v", err)
	}
	if took := time.Since(began); took > closeWait+time.Minute {
		t.Errorf("Close took %v", took)
	}
}

// A store that panics leaves no word of the panic in a trace.
func TestTraceOfAPanic(t *testing.T) {
	to := newReceiver(t)
	tel := newTelemetry(t, Options{})
	ctx, over := tel.Around(t.Context(), mcpserver.Call{Tool: "read_file"})
	func() {
		defer func() { _ = recover() }()
		_ = tracedStore{t: tel}.around(ctx, "store.view", func(context.Context) error { panic(canary) })
	}()
	over(mcpserver.Outcome{})
	testkit.Must(t, tel.Close(t.Context()))
	if got := to.spans(t); len(got) != 2 || strings.Contains(to.all(), canary) {
		t.Errorf("the trace: %s", to.all())
	}
}

// Without an endpoint the other variables are not looked at. No error shows a secret.
func TestTracingVariables(t *testing.T) {
	const base = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		env  map[string]string
		want string // "on", "off" or an error's text
	}{
		{nil, "off"},
		{map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "off"},
		{map[string]string{base: "http://a:4318/"}, "on"},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a:4318/x"}, "on"},
		{map[string]string{base: "http://a:4318/", "OTEL_SDK_DISABLED": "TRUE"}, "off"},
		{map[string]string{base: "http://a:4318/", "OTEL_TRACES_EXPORTER": "none"}, "off"},
		{map[string]string{base: "http://a:4318/", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "4318"},
		{map[string]string{base: "localhost:4318"}, "not a URL"},
		{map[string]string{base: "ftp://user:secret@a/b"}, "not a URL"},
		{map[string]string{base: "http://"}, "not a URL"},
	} {
		for _, name := range []string{base, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"} {
			t.Setenv(name, c.env[name])
		}
		tel, err := New(Options{})
		got := "off"
		switch {
		case err != nil:
			got = err.Error()
			if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
				t.Errorf("%v: %v", c.env, err)
			}
			continue
		case tel.tracer != nil:
			got = "on"
			testkit.Must(t, tel.Close(t.Context()))
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}

// The library reports on standard error which variables it cannot read. Headers are secret.
func TestTracingKeepsSecrets(t *testing.T) {
	if os.Getenv("OTEL_EXPORTER_OTLP_HEADERS") == canary {
		newTelemetry(t, Options{})
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTracingKeepsSecrets$")
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS="+canary)
	if text, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(text), canary) {
		t.Errorf("%v: %s", err, text)
	}
}
