package mcpserver

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Bodies that are announced and do not come keep their places for a time, and
// then the others have them.
func TestSlowBodies(t *testing.T) {
	const timeout = 300 * time.Millisecond
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusRequestTimeout)
		}
	})
	s := httptest.NewServer(boundBodies(read, timeout))
	defer s.Close()
	for range maxInFlight / maxBody {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16777216\r\n\r\nx")
	}
	time.Sleep(timeout / 6) // the slow ones are let in first
	start := time.Now()
	res, err := s.Client().Post(s.URL, "application/json", strings.NewReader(strings.Repeat(" ", smallBody)+"{}"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.Client().CloseIdleConnections()
	if took := time.Since(start); res.StatusCode != http.StatusOK || took < timeout/3 || took > 40*timeout {
		t.Errorf("status %d after %v, want 200 when the slow bodies have lost their places, after %v", res.StatusCode, took, timeout)
	}
}

// A small body does not wait for those that are announced and do not come.
func TestSmallBodiesPass(t *testing.T) {
	const timeout = 30 * time.Second
	s := httptest.NewServer(boundBodies(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }), timeout))
	defer func() { s.CloseClientConnections(); s.Close() }()
	for range 2 * maxInFlight / maxBody {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16777216\r\n\r\nx")
	}
	client := http.Client{Timeout: timeout / 3}
	defer client.CloseIdleConnections()
	for range 10 {
		res, err := client.Post(s.URL, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
}
