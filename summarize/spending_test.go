package summarize

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
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
