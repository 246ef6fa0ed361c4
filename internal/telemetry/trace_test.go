package telemetry

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func requestID(context.Context) string { return "r-1" }

func boundTo(t *testing.T, agent string) auth.Caller {
	t.Helper()
	agents, err := auth.ParseAgents(agent)
	testkit.Must(t, err)
	return auth.Caller{Agents: agents}
}

// A receiver takes spans over HTTP, as an endpoint does.
type receiver struct {
	url string

	mu       sync.Mutex // guards the following
	bodies   []string
	headers  http.Header
	statuses []int // of the next answers; none: 200
	answer   string
	enter    chan struct{} // if not nil: each request waits until it is closed
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	server := httptest.NewServer(r)
	r.url = server.URL + "/v1/traces"
	t.Cleanup(server.Close)
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
	status := 200
	if len(r.statuses) > 0 {
		status, r.statuses = r.statuses[0], r.statuses[1:]
	}
	if status == 200 {
		r.bodies = append(r.bodies, string(body))
	}
	w.WriteHeader(status)
	io.WriteString(w, r.answer)
}

func (r *receiver) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.bodies, "\n")
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
				all = append(all, scope.Spans...)
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
	var log buffer
	url, tel := serve(t, Options{Calls: slog.New(slog.NewJSONHandler(&log, nil)), Tracing: Tracing{Endpoint: to.url, Headers: map[string]string{"X-Key": "secret"}}})
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
	for name, kind := range map[string]int{"write_file": kindServer, "read_file": kindServer, "workspace": kindInternal, "store.update": kindClient, "store.view": kindClient} {
		if s, ok := byName[name]; !ok || s.Kind != kind {
			t.Errorf("span %s: %+v", name, s)
		}
	}
	work := byID[byName["store.update"].Parent]
	tool := byID[work.Parent]
	if work.Name != "workspace" || tool.Name != "write_file" || tool.Parent != spanID {
		t.Errorf("the store's span is below %+v, and that below %+v", work, tool)
	}
	if read := byName["read_file"]; read.Status != (otlpStatus{statusError, "not_found"}) || tool.Status != (otlpStatus{}) {
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

// A caller who does not record a trace gets no spans. One without a trace gets a new one,
// unless the sampler says otherwise.
func TestTraceSampling(t *testing.T) {
	for _, c := range []struct {
		header string
		ratio  float64
		want   bool
	}{
		{"00-" + traceID + "-" + spanID + "-00", 0, false},
		{"00-" + traceID + "-" + spanID + "-01", -1, true},
		{"", 0, true},
		{"", -1, false},
		{"", 1, true},
		{"wrong", 0, true},
	} {
		to := newReceiver(t)
		tel := newTelemetry(t, Options{Tracing: Tracing{Endpoint: to.url, Ratio: c.ratio}})
		handler := tel.Trace(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx, end := tel.Around(r.Context(), mcpserver.Call{Tool: "ping"})
			_, worked := tel.AroundWork(ctx, mcpserver.Call{})
			worked(nil)
			end(mcpserver.Outcome{})
		}))
		req := httptest.NewRequest("POST", "/", nil)
		if c.header != "" {
			req.Header.Set("Traceparent", c.header)
		}
		handler.ServeHTTP(httptest.NewRecorder(), req)
		testkit.Must(t, tel.Close(t.Context()))
		want := 0
		if c.want {
			want = 2
		}
		if got := len(to.spans(t)); got != want {
			t.Errorf("header %q, ratio %v: %d spans, want %d", c.header, c.ratio, got, want)
		}
	}
}

// endSpans ends n spans.
func endSpans(tel *Telemetry, n int) {
	for range n {
		_, end := tel.Around(context.Background(), mcpserver.Call{Tool: "ping"})
		end(mcpserver.Outcome{})
	}
}

// An endpoint that hangs keeps no call. What does not fit is dropped and counted, and so is
// what is lost at the end.
func TestTraceEndpointHangs(t *testing.T) {
	to := newReceiver(t)
	to.enter = make(chan struct{})
	tel := newTelemetry(t, Options{Logger: slog.New(slog.DiscardHandler), Tracing: Tracing{Endpoint: to.url}})
	const calls = 10_000
	endSpans(tel, calls)
	if got := tel.tracer.stats(); got.dropped < calls-maxWaiting-2*maxBatch || got.sent != 0 {
		t.Errorf("while it hangs: %+v", got)
	}
	err := tel.Close(t.Context())
	if got := tel.tracer.stats(); err == nil || got.sent+got.dropped > calls || got.dropped < calls-maxWaiting {
		t.Errorf("Close = %v, then %+v", err, got)
	}
	dropped := tel.tracer.stats().dropped
	endSpans(tel, 1)
	if got := tel.tracer.stats().dropped; got != dropped+1 {
		t.Errorf("a span after Close: %d dropped, want %d", got, dropped+1)
	}
	if got := value(scrape(t, tel), "scratchpad_spans_dropped_total"); got != fmt.Sprint(dropped+1) {
		t.Errorf("the metric says %s, want %d", got, dropped+1)
	}
}

// A busy endpoint is asked again, one that refuses is not. Spans that it did not take count.
func TestTraceEndpointRefuses(t *testing.T) {
	for _, c := range []struct {
		name          string
		statuses      []int
		answer        string
		sent, dropped int64
	}{
		{"Busy", []int{503}, "", 10, 0},
		{"Refuses", []int{400}, "", 0, 10},
		{"Redirects", []int{302}, "", 0, 10},
		{"TakesSome", nil, `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}`, 7, 3},
		{"Lies", nil, `{"partialSuccess":{"rejectedSpans":-5}}`, 10, 0},
		{"LiesMore", nil, `{"partialSuccess":{"rejectedSpans":"900000000000"}}`, 0, 10},
		{"NoJSON", nil, `<html>`, 10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := newReceiver(t)
			to.statuses, to.answer = c.statuses, c.answer
			var b buffer
			tel := newTelemetry(t, Options{Logger: slog.New(slog.NewTextHandler(&b, nil)), Tracing: Tracing{Endpoint: to.url}})
			endSpans(tel, 10)
			testkit.Must(t, tel.Close(t.Context()))
			if got := tel.tracer.stats(); got != (traceStats{c.sent, c.dropped}) {
				t.Errorf("%+v, want %d sent and %d dropped", got, c.sent, c.dropped)
			}
			if lost := c.statuses != nil && c.sent == 0; strings.Contains(b.String(), "traces are lost") != lost || strings.Contains(b.String(), to.url) {
				t.Errorf("the log: %s", b.String())
			}
		})
	}
}

// Without an endpoint there is nothing: no goroutine, no wrapper, no memory in a call.
func TestTracingOff(t *testing.T) {
	tel, err := New(Options{})
	testkit.Must(t, err)
	next := http.NewServeMux()
	var store workspace.Store = tracedStore{}
	if tel.tracer != nil || tel.Trace(next) != http.Handler(next) || tel.Traced(store) != store {
		t.Error("something is wrapped")
	}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, end := tel.AroundWork(ctx, mcpserver.Call{})
		end(nil)
	}); n > 1 { // the function that it returns
		t.Errorf("AroundWork allocates %v times", n)
	}
	testkit.Must(t, tel.Close(ctx))
}

func TestTracingFrom(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for _, p := range pairs {
				if value, ok := strings.CutPrefix(p, name+"="); ok {
					return value
				}
			}
			return ""
		}
	}
	const base, own = "OTEL_EXPORTER_OTLP_ENDPOINT=http://a:4318/", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://b/x"
	for _, c := range []struct {
		env  []string
		want string // endpoint headers attributes timeout ratio; "": an error
	}{
		{nil, " map[] map[] 0s 0"},
		{[]string{"OTEL_TRACES_SAMPLER=nonsense"}, " map[] map[] 0s 0"},
		{[]string{base}, "http://a:4318/v1/traces map[] map[] 0s 0"},
		{[]string{base, own}, "http://b/x map[] map[] 0s 0"},
		{[]string{base, "OTEL_SDK_DISABLED=TRUE"}, " map[] map[] 0s 0"},
		{[]string{base, "OTEL_TRACES_EXPORTER=none"}, " map[] map[] 0s 0"},
		{[]string{base, "OTEL_EXPORTER_OTLP_HEADERS=a=b%20c, d=e=f", "OTEL_EXPORTER_OTLP_TIMEOUT=1500"}, "http://a:4318/v1/traces map[a:b c d:e=f] map[] 1.5s 0"},
		{[]string{base, "OTEL_SERVICE_NAME=pad", "OTEL_RESOURCE_ATTRIBUTES=service.name=x,zone=1"}, "http://a:4318/v1/traces map[] map[service.name:pad zone:1] 0s 0"},
		{[]string{base, "OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.25"}, "http://a:4318/v1/traces map[] map[] 0s 0.25"},
		{[]string{base, "OTEL_TRACES_SAMPLER=always_off"}, "http://a:4318/v1/traces map[] map[] 0s -1"},
		{[]string{base, "OTEL_TRACES_SAMPLER=nonsense"}, ""},
		{[]string{base, "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=NaN"}, ""},
		{[]string{base, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, ""},
		{[]string{base, "OTEL_EXPORTER_OTLP_TIMEOUT=1s"}, ""},
		{[]string{base, "OTEL_EXPORTER_OTLP_HEADERS=secret"}, ""},
	} {
		got, err := TracingFrom(env(c.env...))
		if c.want == "" {
			if !errors.Is(err, workspace.ErrInvalid) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %+v, %v; want ErrInvalid", c.env, got, err)
			}
			continue
		}
		if text := fmt.Sprintf("%s %v %v %v %v", got.Endpoint, got.Headers, got.Attributes, got.Timeout, got.Ratio); err != nil || text != c.want {
			t.Errorf("%q: %s, %v; want %s", c.env, text, err, c.want)
		}
	}
	for _, endpoint := range []string{"localhost:4318", "ftp://a/b", "http://", "://"} {
		if _, err := New(Options{Tracing: Tracing{Endpoint: endpoint}}); !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("endpoint %q: %v, want ErrInvalid", endpoint, err)
		}
	}
}

func TestParsePlace(t *testing.T) {
	const good = traceID + "-" + spanID
	for text, want := range map[string]string{
		"00-" + good + "-01":                                    "yes",
		"00-" + good + "-ff":                                    "yes",
		"cc-" + good + "-01-what-comes":                         "yes",
		"cc-" + good + "-01":                                    "yes",
		"00-" + good + "-00":                                    "not traced",
		"00-" + good + "-01-x":                                  "",
		"cc-" + good + "-01x":                                   "",
		"ff-" + good + "-01":                                    "",
		"00-" + strings.ToUpper(good) + "-01":                   "",
		"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01":  "",
		"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01": "",
		"00-" + good + "-0g":                                    "",
		"00-" + good:                                            "",
		"":                                                      "",
		"cc-" + good + "-01-" + strings.Repeat("x", 1000):       "",
	} {
		got := ""
		switch p := parsePlace(text); {
		case p == notTraced:
			got = "not traced"
		case p != nil:
			got = "yes"
			if hex.EncodeToString(p.trace[:])+"-"+hex.EncodeToString(p.span[:]) != good {
				t.Errorf("%.80q: %x", text, *p)
			}
		}
		if got != want {
			t.Errorf("%.80q: %q, want %q", text, got, want)
		}
	}
}

var benchmarks = []struct {
	name string
	o    Options
}{
	{"Metrics", Options{}},
	{"Log", Options{Calls: slog.New(slog.NewJSONHandler(io.Discard, nil)), RequestID: requestID}},
	{"Traces", Options{
		Calls: slog.New(slog.NewJSONHandler(io.Discard, nil)), RequestID: requestID, Logger: slog.New(slog.DiscardHandler),
		Tracing: Tracing{Endpoint: "http://127.0.0.1:1", Timeout: time.Second}, // where nobody listens
	}},
}

// BenchmarkAround is the cost of observing a call, alone.
func BenchmarkAround(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			tel := newTelemetry(b, c.o)
			b.ReportAllocs()
			for b.Loop() {
				ctx, end := tel.Around(b.Context(), mcpserver.Call{Tool: "read_file", AgentID: "alice"})
				_, worked := tel.AroundWork(ctx, mcpserver.Call{})
				worked(nil)
				end(mcpserver.Outcome{BytesIn: 100, BytesOut: 200})
			}
		})
	}
}

// BenchmarkCall is the time of a small read over HTTP, which nobody observes, with metrics,
// with the log too, and with traces too.
func BenchmarkCall(b *testing.B) {
	run := func(name string, o Options, change func(*mcpserver.Options)) {
		b.Run(name, func(b *testing.B) {
			url, _ := serveWith(b, o, change)
			client := connect(b, url, nil, tester)
			call(b, client, "write_file", map[string]any{"agent_id": "a", "path": "p", "content": "text"})
			for b.Loop() {
				call(b, client, "read_file", map[string]any{"agent_id": "a", "path": "p"})
			}
		})
	}
	run("Without", Options{}, func(o *mcpserver.Options) { o.Around, o.AroundWork = nil, nil })
	for _, c := range benchmarks {
		run(c.name, c.o, func(*mcpserver.Options) {})
	}
}
