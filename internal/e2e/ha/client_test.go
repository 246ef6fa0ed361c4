package ha

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

const modern = "2026-07-28" // the protocol without sessions

// A client calls tools in the protocol without sessions. It is safe for concurrent use.
type client struct {
	key  string // of the server; "": none
	from string // its address, behind a proxy; "": there is none
	web  *http.Client
}

func newClient(key string) *client {
	return &client{key: key, web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 40 * time.Second}}
}

// A refusal is an answer that is no success.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, r.text) }

// call calls a tool and returns the text of its answer. args are the members, as JSON. once
// is the idempotency key, or "".
func (c *client) call(ctx context.Context, url, tool, args, once string) (string, error) {
	meta := fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}`, modern)
	if once != "" {
		meta += fmt.Sprintf(`,"scratchpad/idempotency_key":%q`, once)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{%s},"_meta":{%s}}}`, tool, args, meta)
	req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(name, value)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if c.from != "" {
		req.Header.Set("X-Forwarded-For", c.from)
	}
	res, err := c.web.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	return readAnswer(res.StatusCode, text)
}

// readAnswer reads the message of an answer, which is JSON or the last event of a stream.
func readAnswer(status int, text []byte) (string, error) {
	if i := bytes.LastIndex(text, []byte("\ndata: ")); i >= 0 {
		text, _, _ = bytes.Cut(text[i+len("\ndata: "):], []byte("\n"))
	}
	var message struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal(text, &message); status != http.StatusOK || err != nil || message.Error != nil {
		return "", &refusal{status, string(text)}
	}
	answer := ""
	for _, block := range message.Result.Content {
		answer += block.Text
	}
	if message.Result.IsError {
		return "", &refusal{status, answer}
	}
	return answer, nil
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
	if r := (*refusal)(nil); errors.As(err, &r) {
		why = fmt.Sprintf("%d %s", r.status, numbers.ReplaceAllString(r.text, "N"))
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
