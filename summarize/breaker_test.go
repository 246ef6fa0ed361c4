package summarize

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestBreakerOfCalls(t *testing.T) {
	now := noon
	var mode atomic.Int64
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		switch mode.Load() {
		case 0:
			status(401, "{}")(nil)(w, r)
		case 1:
			status(413, "{}")(nil)(w, r)
		default:
			answering(good(&openaiAPI, "fine", "end_turn", 10, 1))(w, r)
		}
	})
	s := summarizer(t, &openaiAPI, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{now: func() time.Time { return now }})
	ask := func(wantAsked bool, want string) {
		t.Helper()
		f.asked.Store(0)
		_, err := s.Summarize(t.Context(), request("text"))
		if want != "" {
			checkError(t, err)
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		} else if err != nil {
			t.Error(err)
		}
		if got := f.asked.Load(); got != map[bool]int64{true: 1}[wantAsked] {
			t.Errorf("asked %d times", got)
		}
	}
	mode.Store(1)
	for range 2 * breakerFailures {
		ask(true, "413") // is the request's fault
	}
	mode.Store(0)
	for range breakerFailures {
		ask(true, "401")
	}
	ask(false, "try again in 30s; the last failure was: openai: ")
	now = now.Add(breakerTime - time.Second)
	ask(false, "try again in 1s")
	now = now.Add(time.Second)
	ask(true, "401") // one try
	ask(false, "try again in 30s")
	now = now.Add(breakerTime)
	mode.Store(2)
	ask(true, "")
	mode.Store(0)
	for range breakerFailures {
		ask(true, "401")
	}
	ask(false, "try again in 30s")
}

// All agents share a breaker. Its errors do not quote the provider, whose words may
// quote the file of another agent.
func TestBreakerQuotesNobody(t *testing.T) {
	const quoted = "the-secret-plan"
	for name, do := range map[string]http.HandlerFunc{
		"500":           status(500, `{"error":{"message":"cannot read `+quoted+`"}}`)(nil),
		"403":           status(403, quoted)(nil),
		"429":           status(429, `{"error":"`+quoted+`"}`, "Retry-After", "7200")(nil),
		"no HTTP":       raw(func(c net.Conn) { io.WriteString(c, "HTTP/1.1 "+quoted+"\r\n\r\n") })(nil),
		"encoding":      status(200, "x", "Content-Encoding", quoted)(nil),
		"not an answer": status(200, `{"usage":"`+quoted+`","choices":{"`+quoted+`":1}}`)(nil),
	} {
		f := newFake(t, do)
		var p pauses
		s := summarizer(t, &openaiAPI, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{wait: p.wait})
		for range breakerFailures {
			_, err := s.Summarize(t.Context(), request(quoted))
			checkError(t, err)
			if strings.Contains(err.Error(), "the last failure was") || name != "not an answer" && !strings.Contains(err.Error(), quoted) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := s.Summarize(t.Context(), request("of another agent"))
		checkError(t, err)
		if !strings.Contains(err.Error(), "the last failure was: openai: ") || strings.Contains(err.Error(), quoted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An account without credit fails all requests, whatever the status.
func TestBreakerWithoutCredit(t *testing.T) {
	f := newFake(t, status(400, `{"error":{"message":"Your credit balance is too low"}}`)(nil))
	s := summarizer(t, &anthropicAPI, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
	for range breakerFailures + 1 {
		_, err := s.Summarize(t.Context(), request("text"))
		checkError(t, err)
	}
	if n := f.asked.Load(); n != breakerFailures {
		t.Errorf("asked %d times", n)
	}
}
