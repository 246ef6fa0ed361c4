package summarize

import (
	"context"
	"errors"
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
			if errors.Is(err, context.Canceled) != c.leave {
				t.Errorf("%s, %s: %v", a.method, name, err)
			}
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
