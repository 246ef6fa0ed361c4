package mcpserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// codeRefused is the JSON-RPC code of a call that is refused for a while, or for who sends it.
const codeRefused = -32000

// A refusal answers a line or an HTTP request at once, with an error of JSON-RPC.
type refusal struct {
	status int   // of HTTP; 0: 400
	code   int64 // of JSON-RPC; 0: that of an invalid request
	text   string
	id     json.RawMessage // of the request; nil: not known
	data   json.RawMessage // more for programs; nil: nothing
	after  time.Duration   // until the client may try again; 0: not told
	allow  string          // the methods of HTTP that there are; "": not told
	cause  error           // what [Outcome] says; nil: what the status says
}

func (r *refusal) Error() string { return r.text }

func refuseWith(status int, text string) *refusal {
	return &refusal{status: status, code: codeRefused, text: text}
}

// to returns the refusal for a message.
func (r *refusal) to(m message) *refusal {
	c := *r
	c.id = m.id
	return &c
}

// over returns the error for a message that came with headers. A version that _meta alone names
// is one that the headers do not name.
func (f *refusal) over(r *http.Request) *refusal {
	if version := r.Header.Get("Mcp-Protocol-Version"); f.code == codeUnsupported && version != "" {
		f.code, f.data = mcp.CodeHeaderMismatch, nil
		f.text = fmt.Sprintf("Mcp-Protocol-Version is %s, and _meta names another version; send the same in both: %s",
			strictjson.Short(version), f.text)
	}
	return f
}

var (
	errHost   = refuseWith(http.StatusForbidden, "this name is not one of the server's; use localhost")
	errOrigin = refuseWith(http.StatusForbidden,
		"a page of another origin may not call; call from the server's own origin, or without a browser")
	errStranger  = refuseWith(http.StatusUnauthorized, "a session needs a known caller; sign in first")
	errNoSession = refuseWith(http.StatusNotFound, "session not found; begin a new one with initialize")
	errTwice     = &refusal{
		text: "the id is that of a request that is not answered yet; give each its own"}
	errVerb = &refusal{status: http.StatusMethodNotAllowed, code: codeRefused, allow: "GET, POST, DELETE",
		text: "this HTTP method is not served; send messages with POST"}
	errVerbNow = &refusal{status: http.StatusMethodNotAllowed, code: codeRefused, allow: "POST",
		text: "the protocol of 2026-07-28 knows POST alone; send messages with POST"}
	errKind = refuseWith(http.StatusUnsupportedMediaType,
		"the body must be JSON; send Content-Type: application/json")
	errAccept = refuseWith(http.StatusNotAcceptable,
		"answers are JSON; send Accept: application/json, text/event-stream")
	errAnswer = &refusal{status: http.StatusAccepted} // to an answer there is none
)

// wrongPlace refuses a message that does not belong to the session of its request, or that
// needs one.
func wrongPlace(m message, q *request) *refusal {
	if !q.sessions {
		return nil
	}
	meta, _ := members(m.params["_meta"])
	switch _, now := meta[metaVersion]; {
	case now && m.id != nil:
		return m.bad(mcp.CodeHeaderMismatch, fmt.Sprintf("_meta names a protocol that the headers do not name; "+
			"send Mcp-Protocol-Version: %s and Mcp-Method: %s", stateless, m.method))
	case q.session != nil, m.method == "initialize", m.method == "ping", m.method == "server/discover":
		return nil
	}
	return m.bad(jsonrpc.CodeInvalidRequest,
		strictjson.Short(m.method)+" needs a session; send the Mcp-Session-Id that initialize answered")
}

// refuse answers a request with an error, and notes why.
func refuse(w *timedWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{code: codeRefused, text: err.Error()}
	}
	w.request.charge.seen.fail(r.cause)
	r.write(w)
}

func (r *refusal) write(w http.ResponseWriter) {
	if r.status == http.StatusAccepted {
		w.WriteHeader(r.status)
		return
	}
	after := r.after
	if r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests {
		after = max(time.Second, after)
	}
	if after > 0 {
		errorkind.SetRetry(w.Header(), after)
	}
	if r.allow != "" {
		w.Header().Set("Allow", r.allow)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(cmp.Or(r.status, http.StatusBadRequest))
	_, _ = w.Write(r.line()) // fails if the client has left
}

// line returns the answer in JSON. A nil id is answered as null (JSON-RPC 2.0, section 5).
func (r *refusal) line() []byte {
	problem := struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{cmp.Or(r.code, jsonrpc.CodeInvalidRequest), r.text, r.data}
	line, _ := json.Marshal(problem) // always encodes
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), line, []byte("}"))
}
