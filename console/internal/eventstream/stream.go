// Package eventstream sends server-sent events to a browser.
package eventstream

import (
	"net/http"
	"time"
)

const sendTime = 10 * time.Second // for a browser to take an event

// A Stream sends events. One goroutine uses it.
type Stream struct {
	Last time.Time // when something was sent

	w      http.ResponseWriter
	rc     *http.ResponseController
	newest string
}

// New returns a stream to a page that shows the change newest, as in Moved. It writes
// nothing yet.
func New(w http.ResponseWriter, newest string) *Stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // of nginx
	return &Stream{w: w, rc: http.NewResponseController(w), newest: newest}
}

// Moved notes the newest change of what the page shows, and reports whether it is another
// one than before. "" is a change that is not known.
func (s *Stream) Moved(newest string) bool {
	same := newest != "" && newest == s.newest
	s.newest = newest
	return !same
}

// Send sends an event, or with the empty name a sign of life. A browser that does not take
// it within 10 seconds is given up, if the server can set deadlines.
func (s *Stream) Send(event string) error {
	text := ":\n\n"
	if event != "" {
		text = "event: " + event + "\ndata: 1\n\n"
	}
	s.Last = time.Now()
	_ = s.rc.SetWriteDeadline(s.Last.Add(sendTime)) // a server without deadlines has none
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.rc.Flush()
}
