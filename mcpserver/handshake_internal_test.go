package mcpserver

import (
	"net/http"
	"testing"
	"time"
)

// A session whose client has completed the handshake lives on for the longer time.
func TestSessionHandshake(t *testing.T) {
	s := newInner(t, Options{})
	h := serveInner(t, s)
	for range 10 {
		session := beginInner(t, h)
		if status, text := ask(t, h, "POST", initializedText, session, nil); status != http.StatusAccepted {
			t.Fatalf("initialized: %d %s, want 202", status, text)
		}
		s.sessions.mu.Lock()
		s.sessions.handshake = time.Millisecond
		s.sessions.mu.Unlock()
		ask(t, h, "POST", listText, session, nil)
		time.Sleep(20 * time.Millisecond)
		if status, text := ask(t, h, "POST", listText, session, nil); status != http.StatusOK {
			t.Errorf("a call after the time for a handshake: %d %s, want 200", status, text)
		}
		s.sessions.mu.Lock()
		s.sessions.handshake = handshakeTimeout
		s.sessions.mu.Unlock()
	}
}
