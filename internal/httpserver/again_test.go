package httpserver

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// A request with a body does not harm those that follow on its connection: nothing ends
// their context before their client leaves.
func TestRequestsOnOneConnection(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = r.Context().Err()
		}
		time.Sleep(time.Millisecond) // net/http reads on meanwhile
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Write(body)
	})
	s := serve(t, Options{MCP: echo}, nil)
	c := s.dial()
	for i := range 200 {
		if a := c.send(request("POST", "/mcp", "a body", withKey)).read("POST"); a.status != 200 || a.text != "a body" {
			t.Fatalf("request %d: %v", i, a)
		}
	}
}
