package console

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
func (v *visit) events() error {
	agent := v.form.Get("agent")
	if agent == "" && !v.person.Read && !v.person.Admin {
		return errMayNotRead
	} else if _, err := v.workspace(agent, toRead); agent != "" && err != nil {
		return err
	}
	stream, ok := v.h.streams.TryTake(v.group, 1)
	if !ok {
		return &Busy{After: 5 * time.Second, Text: "too many pages are open"}
	}
	defer stream.Leave()
	defer v.h.seen()
	var person atomic.Pointer[Person]
	person.Store(&v.person)
	changed, err := v.person.Service.Watch(v.r.Context(), func(name string) bool {
		return person.Load().notices(agent, name)
	})
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/event-stream")
	v.w.Header().Set("X-Accel-Buffering", "no") // of nginx
	shown, event := v.newest(v.person, agent), "hello"
	check := time.NewTicker(sessionCheck)
	defer check.Stop()
	var last time.Time // when something was sent
	for {
		if event != "" || time.Since(last) >= heartbeat {
			if last = time.Now(); v.send(event) != nil {
				return nil
			}
		}
		event = ""
		select {
		case <-v.r.Context().Done():
			return nil
		case name, open := <-changed:
			if !open {
				return nil // the store is closed, and the browser comes back
			}
			if event = "change"; name == "" {
				now := v.newest(*person.Load(), agent)
				if now != "" && now == shown {
					event = ""
				}
				shown = now
			}
		case <-check.C:
		}
		switch now, err := v.h.o.People.Person(v.r.Context(), v.session); {
		case errors.Is(err, ErrSignedOut), err == nil && now.ID != v.person.ID:
			_ = v.send("end") // the browser may be gone
			return nil
		case err == nil:
			person.Store(&now)
		}
	}
}

// newest names the newest change of what a page shows a person: of the agent, or for "" of the list
// of agents. "" is not known. A store that does not know who has written says that any may
// have: then nobody else's writes show in a stream, and no page is fetched for them.
func (v *visit) newest(p Person, agent string) string {
	if agent == "" {
		page, err := p.Service.Agents(v.r.Context(), workspace.AgentsQuery{Patterns: p.listed(),
			Order: store.ByUpdated, Limit: 1})
		if err != nil || len(page.Agents) == 0 {
			return ""
		}
		return fmt.Sprint(page.Agents[0])
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

// send sends an event, or with the empty name a sign of life. A browser that does not take
// it within 10 seconds is given up, if the server can set deadlines.
func (v *visit) send(event string) error {
	text := ":\n\n"
	if event != "" {
		text = "event: " + event + "\ndata: 1\n\n"
	}
	stream := http.NewResponseController(v.w)
	_ = stream.SetWriteDeadline(time.Now().Add(sendTime)) // a server without deadlines has none
	if _, err := v.w.Write([]byte(text)); err != nil {
		return err
	}
	err := stream.Flush()
	if event == "change" { // those that come now are one event
		select {
		case <-v.r.Context().Done():
		case <-time.After(eventPause):
		}
	}
	return err
}
