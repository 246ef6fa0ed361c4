package ha

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

const modern = process.Modern

// A client calls tools in the protocol without sessions. It is safe for concurrent use.
type client struct {
	key  string // of the server; "": none
	from string // its address, behind a proxy; "": there is none
	web  *http.Client
}

func newClient(key string) *client {
	return &client{key: key, web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 40 * time.Second}}
}

// call calls a tool and returns the text of its answer. args are the members, as JSON. once
// is the idempotency key, or "".
func (c *client) call(ctx context.Context, url, tool, args, once string) (string, error) {
	one := process.Client{URL: func() string { return url }, Key: c.key, From: c.from, Modern: true, Name: "ha", Web: c.web}
	return one.Call(ctx, tool, args, once)
}

// patience is how long a client tries again before a call has failed.
const patience = time.Minute

// tries are what a client had to try again for.
type tries struct {
	mu  sync.Mutex // guards the following
	why map[string]int
}

var numbers = regexp.MustCompile(`[0-9.]+(ms|µs|s)?`)

func (f *tries) add(err error) {
	why := "the connection broke"
	if errors.As(err, new(*process.StatusError)) || errors.As(err, new(process.ProtocolError)) || errors.As(err, new(process.ToolError)) {
		why = numbers.ReplaceAllString(err.Error(), "N")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.why == nil {
		f.why = map[string]int{}
	}
	f.why[why]++
}

// check checks that servers said nothing but what a client may expect of servers that stop,
// and of a database that is away.
func (f *tries) check(t interface {
	Errorf(string, ...any)
	Logf(string, ...any)
}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for why, n := range f.why {
		t.Logf("%d tries again: %.200s", n, why)
		fine := false
		for _, part := range []string{"the connection broke", "busy", "outcome unknown", "stopping", "unavailable"} {
			fine = fine || strings.Contains(why, part)
		}
		if !fine {
			t.Errorf("a call is answered %d times with %.300s", n, why)
		}
	}
}

// keepCalling makes one call until it succeeds, at one server after the other. The first is
// of the caller's choice.
func (c *client) keepCalling(ctx context.Context, urls []string, first int, f *tries, tool, args, once string) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i := first; ; i++ {
		answer, err = c.call(ctx, urls[i%len(urls)], tool, args, once)
		if err == nil {
			return answer, nil
		}
		f.add(err)
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%s %s: %w", tool, args, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
