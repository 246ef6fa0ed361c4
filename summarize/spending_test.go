package summarize

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A request that was sent completely may have been read. It is counted unless a
// status says that it was not.
func TestUnansweredIsCounted(t *testing.T) {
	const one = 1200 // less than one request
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		do    http.HandlerFunc
		leave bool
		tries int64
	}{
		"the caller leaves": {do: hang, leave: true, tries: 1},
		"reset":             {do: raw(func(net.Conn) {})(nil), tries: 3},
		"refused":           {do: status(400, "{}")(nil)},
		"overloaded":        {do: status(503, "{}")(nil)},
	} {
		for _, a := range apis {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
				if c.leave {
					leave()
				}
				c.do(w, r)
			})
			var p pauses
			s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{wait: p.wait})
			got, err := s.Summarize(ctx, request(strings.Repeat("some text here\n", 400)))
			checkError(t, err)
			if got.Spent < one*c.tries || got.Spent > 2*one*c.tries {
				t.Errorf("%s, %s: spent %d in %d tries, %v", a.method, name, got.Spent, f.asked.Load(), err)
			}
		}
	}
}

// The monthly limit holds even if every answer comes too late.
func TestLateAnswersComeToTheLimit(t *testing.T) {
	for _, a := range apis {
		for timeout := 50 * time.Millisecond; !lateAnswers(t, a, timeout); timeout *= 2 {
		}
	}
}

// lateAnswers reports whether a request was sent within the timeout.
func lateAnswers(t *testing.T, a *api, timeout time.Duration) bool {
	var read atomic.Int64
	f := newFake(t, func(_ http.ResponseWriter, r *http.Request) {
		read.Add(1)
		<-r.Context().Done()
	})
	s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL, Timeout: timeout}, hooks{})
	store := memstore.New()
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{Summarizer: &s, SummaryTokens: 3000})
	testkit.Must(t, err)
	ws, err := svc.Agent("agent-1")
	testkit.Must(t, err)
	for i, path := range []string{"a", "b"} {
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte(strings.Repeat("some text here\n", 600)), workspace.WriteOptions{})))
		_, err = ws.Summarize(t.Context(), path, workspace.SummarizeOptions{})
		if read.Load() == 0 {
			return false
		}
		if want := []string{"no answer within", "this agent has spent"}[i]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", a.method, err, want)
		}
	}
	return true
}

// Parts that were paid for before a failure are not paid for again for the same
// file. They are dropped when the whole summary is made.
func TestPaidPartsAreKept(t *testing.T) {
	lines := func(what string) string { return strings.Repeat("a line of text that says "+what+"\n", 3000) }
	for _, a := range apis {
		calls, failAt := 0, 4
		f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls == failAt {
				status(429, "{}", "Retry-After", "3600")(a)(w, r)
				return
			}
			answering(good(a, fmt.Sprintf("text %d", calls), "end_turn", 3000, 5))(w, r)
		})
		s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
		ask := func(content, path string) (workspace.SummaryText, int, []string, error) {
			calls = 0
			var progress []string
			r := request(content)
			r.Path = path
			r.Progress = func(done, total int) { progress = append(progress, fmt.Sprint(done)) }
			got, err := s.Summarize(t.Context(), r)
			if got.Spent > int64(calls)*3005 {
				t.Errorf("%d calls, spent %d", calls, got.Spent)
			}
			return got, calls, progress, err
		}
		whole := s.Estimate("p", lines("nothing"))
		got, _, _, err := ask(lines("nothing"), "p")
		checkError(t, err)
		if got.Spent != 3*3005 {
			t.Errorf("%+v", got)
		}
		// All but three windows of 3,000 tokens are still to be paid, and another file is paid whole.
		if n := s.Estimate("p", lines("nothing")); n > whole-3*2500 || n < whole-3*3400 || s.Estimate("q", lines("nothing")) != whole {
			t.Errorf("the estimate is %d tokens of %d", n, whole)
		}
		failAt = 0
		_, all, _, err := ask(lines("nothing else"), "p") // another file
		testkit.Must(t, err)
		_, other, _, err := ask(lines("nothing"), "another path")
		if err != nil || other < 10 {
			t.Errorf("another path: %d calls, %v", other, err)
		}
		got, n, progress, err := ask(lines("nothing"), "p")
		if err != nil || n != other-3 || got.Spent != int64(n)*3005 || len(progress) != other+1 {
			t.Errorf("again: %d calls of %d, %+v, %v, %v", n, other, got, progress, err)
		}
		if _, n, _, err := ask(lines("nothing"), "p"); err != nil || n != other {
			t.Errorf("anew: %d calls of %d, %v", n, other, err)
		}
		if _, n, _, err := ask(lines("nothing else"), "p"); err != nil || n != all {
			t.Errorf("the other file anew: %d calls of %d, %v", n, all, err)
		}
	}
}

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
