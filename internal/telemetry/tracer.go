package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxWaiting = 2048             // spans that wait; more are dropped
	maxBatch   = 512              // spans of one request
	sendAfter  = 5 * time.Second  // the longest that a span waits for others
	closeWait  = 2 * time.Second  // the longest that close takes
	maxAnswer  = 64 << 10         // bytes of an answer that are read
	tries      = 4                // of one batch
	firstPause = time.Second      // after a try that failed, doubled each time
	longPause  = 30 * time.Second // the longest that the endpoint may ask for
)

// A tracer sends spans to an endpoint. Its goroutine ends with close. Nobody waits for it.
type tracer struct {
	o       Tracing
	log     *slog.Logger
	client  *http.Client
	head    []byte // of every request's body, up to the spans
	spans   chan *span
	closing chan struct{} // closed by close
	ended   chan struct{} // closed when the goroutine has ended
	once    sync.Once
	quit    context.CancelFunc // ends the request under way
	failing bool               // the last batch was lost, and that was logged; of the goroutine

	sent, dropped atomic.Int64
}

// traceStats are counters of spans.
type traceStats struct{ sent, dropped int64 }

func (t *tracer) stats() traceStats { return traceStats{t.sent.Load(), t.dropped.Load()} }

func newTracer(o Tracing, log *slog.Logger) (*tracer, error) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, workspace.Errorf(workspace.ErrInvalid, "the endpoint for traces is not a URL; give one such as http://localhost:4318 in OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	head, err := json.Marshal(attributesOf(o.attributes()))
	if err != nil {
		return nil, workspace.Errorf(workspace.ErrInvalid, "the attributes of traces: %v", err)
	}
	ctx, quit := context.WithCancel(context.Background())
	t := &tracer{
		o: o, log: log, quit: quit,
		client: &http.Client{
			Timeout:       o.Timeout,
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		head:    fmt.Appendf(nil, `{"resourceSpans":[{"resource":{"attributes":%s},"scopeSpans":[{"scope":{"name":"scratchpad"},"spans":[`, head),
		spans:   make(chan *span, maxWaiting),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	go t.run(ctx)
	return t, nil
}

// take takes a span that has ended, or drops it if too many wait.
func (t *tracer) take(s *span) {
	select {
	case <-t.closing:
		t.dropped.Add(1)
		return
	default:
	}
	select {
	case t.spans <- s:
	default:
		t.dropped.Add(1)
	}
}

// close sends what waits, and gives up after two seconds or when ctx ends.
func (t *tracer) close(ctx context.Context) error {
	t.once.Do(func() { close(t.closing) })
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	defer t.quit()
	select {
	case <-t.ended:
		return nil
	case <-ctx.Done():
	}
	t.quit()
	<-t.ended
	if lost := t.dropped.Load(); lost > 0 {
		return workspace.Errorf(workspace.ErrBusy, "%d spans of traces were lost; look at the endpoint for traces", lost)
	}
	return nil
}

func (t *tracer) run(ctx context.Context) {
	defer close(t.ended)
	defer t.client.CloseIdleConnections()
	batch := make([]*span, 0, maxBatch)
	for {
		batch, closing := t.collect(batch[:0])
		if len(batch) > 0 {
			t.send(ctx, batch)
		}
		if closing && len(batch) == 0 {
			return
		}
	}
}

// collect returns spans to send, and whether the tracer closes. It returns a full batch at
// once, and a smaller one some time after its first span.
func (t *tracer) collect(batch []*span) (_ []*span, closing bool) {
	var late <-chan time.Time
	for len(batch) < maxBatch {
		select {
		case s := <-t.spans:
			if batch = append(batch, s); late == nil {
				timer := time.NewTimer(sendAfter)
				defer timer.Stop()
				late = timer.C
			}
		case <-late:
			return batch, false
		case <-t.closing:
			for len(batch) < maxBatch {
				select {
				case s := <-t.spans:
					batch = append(batch, s)
				default:
					return batch, true
				}
			}
			return batch, true
		}
	}
	return batch, false
}

// send sends a batch, several times if the endpoint is busy. Then it drops the batch.
func (t *tracer) send(ctx context.Context, batch []*span) {
	body := t.encode(batch)
	pause := firstPause
	for try := 1; ; try++ {
		refused, after, err := t.post(ctx, body)
		if err == nil {
			t.sent.Add(int64(len(batch) - min(refused, len(batch))))
			t.dropped.Add(int64(min(refused, len(batch))))
			if t.failing {
				t.log.Info("traces are sent again")
			}
			t.failing = false
			return
		}
		if after < 0 || try == tries || ctx.Err() != nil {
			t.dropped.Add(int64(len(batch)))
			if !t.failing {
				t.log.Warn("traces are lost: the endpoint does not take them", "cause", err)
			}
			t.failing = true
			return
		}
		select {
		case <-time.After(max(pause, after)):
		case <-t.closing: // tried once more, at once
			try = tries - 1
		case <-ctx.Done():
		}
		pause *= 2
	}
}

// post sends one request. refused is how many spans the endpoint did not take. after is
// the time to wait for before the next try, or -1 if that is no use.
func (t *tracer) post(ctx context.Context, body []byte) (refused int, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.o.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, -1, fmt.Errorf("the endpoint is not a URL")
	}
	for name, value := range t.o.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "scratchpad")
	res, err := t.client.Do(req)
	if err != nil {
		if e, ok := err.(*url.Error); ok {
			err = e.Err // without the URL, which may hold a password
		}
		return 0, 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests || code == http.StatusBadGateway || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout:
		s, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return 0, min(max(0, time.Duration(s)*time.Second), longPause), fmt.Errorf("status %d", code)
	case code < 200 || code > 299:
		return 0, -1, fmt.Errorf("status %d", code)
	case err != nil:
		return 0, 0, err
	}
	return refusedSpans(answer), 0, nil
}

// refusedSpans reads from an answer how many spans were not taken.
func refusedSpans(answer []byte) int {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return 0
	}
	n, err := a.PartialSuccess.RejectedSpans.Int64()
	if err != nil {
		return 0
	}
	return int(min(max(n, 0), maxBatch))
}
