package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Busy is an error that refuses a call for a while. It wraps [workspace.ErrBusy]. See
// [Options].Admit.
type Busy struct {
	After time.Duration // how long the client should wait
	Text  string        // the reason, for the client; "": the server is busy
}

// Error returns the reason, and the seconds after which to try again.
func (b *Busy) Error() string {
	why := b.Text
	if why == "" {
		why = "the server is busy"
	}
	return fmt.Sprintf("%s; try again in %d s", why, errorkind.Seconds(b.After))
}

// Unwrap returns [workspace.ErrBusy].
func (b *Busy) Unwrap() error { return workspace.ErrBusy }

// callOf returns the call that a message makes, or nil if it needs no answer. The agent
// is the one that the tool will see, or "" if the tool will refuse the arguments.
func (s *Server) callOf(m message) *Call {
	if m.id == nil {
		return nil
	}
	var c Call
	switch _, known := methods[m.method]; {
	case m.method == callTool:
		if _, isMethod := methods[m.tool]; !isMethod {
			c = s.tools[m.tool].call("")
		}
	case known && !strings.HasPrefix(m.method, notice):
		c = s.tools[m.method].call("")
		c.Tool = m.method
	}
	if id, err := workspace.ParseAgentID(m.agent()); err == nil {
		c.AgentID = id.String()
	}
	return &c
}

// admit begins to follow a call, and asks Options.Admit whether one over HTTP may go on.
func (s *Server) admit(r *request, m message, bytes int) *refusal {
	if r.call = s.callOf(m); r.call == nil {
		return nil
	}
	r.values, r.charge.seen = s.observe(r.values, *r.call, bytes)
	if s.o.Admit == nil || r.client == nil {
		return nil
	}
	if err := s.o.Admit(r.values, *r.call); err != nil {
		return turnAway(m.id, err)
	}
	return nil
}

// agent returns the name of the agent in a message that inspect has accepted, or "" if
// there is none.
func (m message) agent() string {
	switch m.method {
	case callTool:
		return strictjson.TextOf(m.params["arguments"], "agent_id")
	case "resources/read":
		uri, _ := strictjson.Text(m.params["uri"])
		agent, _ := splitURI(uri)
		return agent
	case "completion/complete":
		return strictjson.TextOf(strictjson.Member(m.params["context"], "arguments"), "agent")
	}
	return ""
}

// splitURI returns the agent and the escaped path of a resource. Both are "" if the URI is
// not one of a resource here.
func splitURI(uri string) (agent, path string) {
	rest, ours := strings.CutPrefix(uri, scheme)
	if !ours {
		return "", ""
	}
	agent, path, _ = strings.Cut(rest, "/")
	return agent, path
}

// turnAway returns the answer to a call that Options.Admit refuses.
func turnAway(id json.RawMessage, err error) *refusal {
	r := &refusal{
		status: http.StatusServiceUnavailable, code: codeRefused, after: time.Second,
		id: id, text: shorten(err.Error()), cause: err,
	}
	var busy *Busy
	if errors.As(err, &busy) {
		r.status, r.after = http.StatusTooManyRequests, busy.After
	} else if workspace.Kind(err) == nil {
		r.text = internalError
	}
	return r
}
