package console

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxStreams       = 1024 // of all people
	maxPersonStreams = 64   // of one
	eventPause       = 200 * time.Millisecond
	sessionCheck     = 500 * time.Millisecond // between two looks at who the person is
	heartbeat        = 15 * time.Second
	sendTime         = 10 * time.Second // for a browser to take an event
)

// Idle returns how long ago the last request was, or 0 while a page is open.
func (h *Handler) Idle() time.Duration {
	if h.streams.Held() > 0 {
		return 0
	}
	return h.o.Now().Sub(h.began) - time.Duration(h.last.Load())
}

// events tells an open page when to fetch itself again: "hello" when the stream begins,
// "change" after changes of the agent in the query, or of any agent of the person, and
// "end" when the session has ended. Events carry nothing else. So whatever a page shows
// passes the one check of rights, and a page that has missed events misses nothing: it
// fetches itself again after each hello.
func (h *Handler) events(v *visit) error {
	agent := v.r.URL.Query().Get("agent")
	if err := v.mayFollow(agent); err != nil {
		return err
	}
	stream, ok := h.streams.TryTake(v.group, 1)
	if !ok {
		return &Busy{After: 5 * time.Second, Text: "too many pages are open"}
	}
	defer stream.Leave()
	defer h.seen()
	var person atomic.Pointer[Person]
	person.Store(&v.person)
	changed, err := v.person.Service.Watch(v.r.Context(), func(name string) bool {
		return person.Load().notices(agent, name)
	})
	if err != nil {
		return err
	}
	s := newEventStream(v.w, v.newest(v.person, agent))
	if s.send("hello") != nil {
		return nil
	}
	check := time.NewTicker(sessionCheck)
	defer check.Stop()
	for {
		event := ""
		select {
		case <-v.r.Context().Done():
			return nil
		case name, open := <-changed:
			if !open {
				return nil // the store is closed, and the browser comes back
			}
			if name != "" || s.moved(v.newest(*person.Load(), agent)) {
				event = "change"
			}
		case <-check.C:
		}
		switch now, err := h.o.People.Person(v.r.Context(), v.session); {
		case errors.Is(err, ErrSignedOut), err == nil && now.ID != v.person.ID:
			_ = s.send("end") // the browser may be gone
			return nil
		case err == nil:
			person.Store(&now)
		}
		if event == "" && time.Since(s.last) < heartbeat {
			continue
		}
		if s.send(event) != nil {
			return nil
		}
		if event != "" {
			pause(v.r, eventPause)
		}
	}
}

// newest names the newest change of what a page shows a person: of the agent, or for "" of the list
// of agents. "" is not known. A store that does not know who has written says that any may
// have: then nobody else's writes show in a stream, and no page is fetched for them.
func (v *visit) newest(p Person, agent string) string {
	if agent == "" {
		page, err := p.Service.FindAgents(v.r.Context(), workspace.AgentsQuery{Patterns: p.listed(),
			Order: workspace.ByUpdated, Limit: 1})
		if err != nil || len(page.Agents) == 0 {
			return ""
		}
		return page.Agents[0].Agent + " " + page.Agents[0].Updated.String() + fmt.Sprint(page.Agents[0].Usage)
	}
	ws, err := p.Service.Look(agent)
	if err != nil {
		return ""
	}
	changes, err := ws.ChangeLog(v.r.Context(), workspace.ChangeLogQuery{Limit: 1})
	if err != nil {
		return ""
	}
	return number(changes.Last)
}

// mayFollow returns an error if the person may not see the page of the agent, or for "" the
// list of agents.
func (v *visit) mayFollow(agent string) error {
	switch {
	case agent != "":
		_, err := v.workspaceOf(agent, toRead)
		return err
	case !v.person.Read && !v.person.Admin:
		return errMayNotRead
	}
	return nil
}

// notices reports whether what an agent has written changes a page of the person: that of
// the agent, or for page "" the list of agents.
func (p *Person) notices(page, agent string) bool {
	switch {
	case page == "" && p.Admin:
		return true
	case page != "" && page != agent:
		return false
	}
	return p.Read && p.Allow(agent)
}

// pause waits, or until the request is over. Changes that come meanwhile are one event.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(d):
	}
}

// An eventStream sends server-sent events to a browser. One goroutine uses it.
type eventStream struct {
	last   time.Time // when something was sent
	w      http.ResponseWriter
	rc     *http.ResponseController
	newest string
}

// newEventStream returns a stream to a page that shows the change newest, as in moved. It writes
// nothing yet.
func newEventStream(w http.ResponseWriter, newest string) *eventStream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // of nginx
	return &eventStream{w: w, rc: http.NewResponseController(w), newest: newest}
}

// moved notes the newest change of what the page shows, and reports whether it is another
// one than before. "" is a change that is not known.
func (s *eventStream) moved(newest string) bool {
	same := newest != "" && newest == s.newest
	s.newest = newest
	return !same
}

// send sends an event, or with the empty name a sign of life. A browser that does not take
// it within 10 seconds is given up, if the server can set deadlines.
func (s *eventStream) send(event string) error {
	text := ":\n\n"
	if event != "" {
		text = "event: " + event + "\ndata: 1\n\n"
	}
	s.last = time.Now()
	_ = s.rc.SetWriteDeadline(s.last.Add(sendTime)) // a server without deadlines has none
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.rc.Flush()
}
