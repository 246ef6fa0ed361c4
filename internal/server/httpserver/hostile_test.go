package httpserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A head is refused when it is too long, and its connection is closed when it comes too slowly.
// It is served at the limit, and byte by byte.
func TestHeads(t *testing.T) {
	s := serve(t, Options{MCP: who}, func(s *Server) { s.limits.header = patience })
	hasty := serve(t, Options{MCP: who}, func(s *Server) { s.limits.header = 300 * time.Millisecond })
	padding := func(total int) string {
		r := request("POST", "/mcp", "", withKey, "X-Pad: ")
		return request("POST", "/mcp", "", withKey, "X-Pad: "+strings.Repeat("x", total-len(r)))
	}
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"of the limit":     {padding(maxHeader), 200},
		"a byte longer":    {padding(maxHeader + 1), 431},
		"1 MB":             {padding(1 << 20), 431},
		"1 MB and no end":  {"GET /" + strings.Repeat("x", 1<<20), 431},
		"line feeds only":  {"GET /healthz HTTP/1.1\nHost: localhost\n\n", 200},
		"after empty line": {"\r\n" + request("GET", "/healthz", ""), 400},
	} {
		res, err := http.ReadResponse(s.dial().send(c.text).in, nil) // the connection may break before its end
		if err != nil || res.StatusCode != c.status {
			t.Errorf("%s: %v, %v, want %d", name, res, err, c.status)
		}
	}
	c := s.dial()
	for range 2 {
		for _, b := range []byte(request("POST", "/mcp", "", withKey)) {
			c.send(string(b))
		}
		if a := c.read("POST"); a.status != 200 {
			t.Errorf("byte by byte: %v", a)
		}
	}
	again := hasty.dial().send(request("GET", "/healthz", ""))
	again.read("GET")
	for name, c := range map[string]*client{"nothing": hasty.dial(), "half a head": hasty.dial().send("POST /mcp HTTP/1.1\r\nHost: loc"), "half a second head": again.send("POST /mcp")} {
		if !c.isClosed() {
			t.Errorf("a connection that sends %s stays open", name)
		}
	}
}

// The heads of strangers have so many bytes together. Then the connections with the longest ones
// are closed, and nobody else's.
func TestHeadsTogether(t *testing.T) {
	s := serve(t, Options{MCP: who}, func(s *Server) { s.limits.header = patience })
	quiet, known := s.dial(), s.dial()
	for _, c := range []*client{quiet, known} {
		c.send(request("POST", "/mcp", "", withKey)).read("POST")
	}
	long := "GET /" + strings.Repeat("x", 60_000)
	short := s.dial().send("POST /mcp HTTP/1.1\r\n")
	for range allHeads/len(long) + 10 {
		s.dial().send(long)
	}
	eventually(t, "no long head is closed", func() bool { return s.Stats().RefusedHeads >= 10 })
	if a := short.send("Host: localhost\r\n" + withKey + "\r\n\r\n").read("POST"); a.status != 200 {
		t.Errorf("a short head beside them: %v", a)
	}
	for _, c := range []*client{quiet, known} {
		if a := c.send(request("POST", "/mcp", "", withKey)).read("POST"); a.status != 200 {
			t.Errorf("a known caller: %v", a)
		}
	}
}

// No request hides in another: what follows a request that is understood in two ways is
// never served.
func TestSmuggling(t *testing.T) {
	testkit.SkipInShort(t)
	s := serve(t, Options{}, nil)
	hidden := request("GET", "/healthz", "")
	post := func(headers ...string) string { return request("POST", "/mcp", "", append(headers, withKey)...) }
	body := callBody("append_log", `{"agent_id":"a","path":"log","entry":"x"}`)
	head, _, _ := strings.Cut(appends(), "Content-Length")
	chunked := fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"chunks and a length":    {head + "Content-Length: 3\r\n" + chunked + hidden, 200}, // the chunks count
		"two lengths":            {post("Content-Length: 0", "Content-Length: 5") + hidden, 400},
		"a list of lengths":      {post("Content-Length: 5, 5") + hidden, 400},
		"chunked, but not":       {post("Transfer-Encoding: xchunked") + hidden, 501},
		"a header over 2 lines":  {post("X: a\r\n b", "Transfer-Encoding:\r\n chunked") + "0\r\n\r\n" + hidden, 415}, // it has chunks
		"a carriage return":      {"GET /healthz HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n", 400},
		"two hosts":              {request("GET", "/healthz", "", "Host: localhost", "Host: evil.example"), 400},
		"no host":                {"GET /healthz HTTP/1.1\r\n\r\n", 400},
		"HTTP/2 at once":         {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", 505},
		"an expectation":         {request("GET", "/healthz", "", "Expect: magic"), 417},
		"a chunk's size is long": {post("Transfer-Encoding: chunked", "Mcp-Protocol-Version: 2026-07-28", "Content-Type: application/json") + strings.Repeat("0", 20000) + "1\r\nx\r\n0\r\n\r\n", 400},
	} {
		conn := s.dial().send(c.text)
		a := conn.read("POST")
		if a.status != c.status {
			t.Errorf("%s: %v, want %d", name, a, c.status)
		}
		if second := conn.read("GET"); second.status != 0 {
			t.Errorf("%s: a second answer %v", name, second)
		} else if strings.Contains(second.text, "timeout") {
			t.Errorf("%s: the connection stays open", name)
		}
	}
}

// A client that hangs up is noticed while its call is under way.
func TestHangUp(t *testing.T) {
	for _, body := range []string{"", `{"a":1}`} {
		gone := make(chan struct{})
		s := serve(t, Options{MCP: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 100))
			<-r.Context().Done()
			close(gone)
		})}, nil)
		c := s.dial().send(request("POST", "/mcp", body, withKey))
		eventually(t, "no call is under way", func() bool { return s.Stats().Calls > 0 })
		c.Close()
		select {
		case <-gone:
		case <-time.After(patience):
			t.Errorf("body %q: the call goes on", body)
		}
	}
}
