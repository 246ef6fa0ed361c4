package httpserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves on a loopback address until the test ends.
func start(t testing.TB, o Options, change func(*Server)) (s *Server, address string) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s, l.Addr().String()
}

// Every route answers, and everything else is 404 in the client's form.
func TestRoutes(t *testing.T) {
	_, address := start(t, Options{
		MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, _ := auth.FromContext(r.Context())
			io.WriteString(w, c.ID)
		}),
		Keys: func(_ context.Context, credential string) (auth.Caller, error) {
			if credential == "sp_good" {
				return auth.Caller{ID: "good"}, nil
			}
			return auth.Caller{}, auth.ErrUnknown
		},
	}, nil)
	for _, c := range []struct {
		path, authorization string
		status              int
		text                string
	}{
		{"/mcp", "", 401, "keys create"},
		{"/mcp", "Bearer sp_good", 200, "good"},
		{"/mcp", "bearer  sp_good", 200, "good"},
		{"/mcp", "Bearer sp_bad", 401, "revoked"},
		{"/healthz", "", 200, "true"},
		{"/readyz", "", 200, "true"},
		{"/metrics", "", 404, "nothing"},
		{"/", "", 404, "nothing"},
	} {
		r := httptest.NewRequest("GET", "http://"+address+c.path, nil)
		r.RequestURI = ""
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != c.status || !strings.Contains(string(text), c.text) {
			t.Errorf("%s with %q: %d %s, want %d %s", c.path, c.authorization, res.StatusCode, text, c.status, c.text)
		}
	}
}
