package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/plain"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
)

// A directCall is a call of a tool that runs without the SDK. The SDK decodes a message
// about six times, each time with a new buffer of 32 KiB, and begins a session for each
// request of 2026-07-28. That takes longer than most tools.
//
// Only a plain call is direct: one of which the SDK would check nothing that is not checked
// here. All others go to the SDK, such as a call of memory with a range of lines, which is an
// array. A client cannot tell which way its call went, because the
// answers have the same bytes.
type directCall struct {
	tool   *directTool
	id     json.RawMessage // as the SDK gets it
	sent   json.RawMessage // as the client sent it
	modern bool            // of the protocol without sessions
	toolCall
}

// A directTool is a tool that needs nothing of the SDK.
type directTool struct {
	tool
	known map[bool][]property // by whether the caller is bound
}

// direct returns the direct call that a request makes, or nil if the SDK must look at it.
func (s *Server) direct(r *http.Request, q *request) *directCall {
	m := q.message
	t := s.directTools[m.tool]
	if t == nil || q.events || len(m.fields) != 4 || string(m.fields["jsonrpc"]) != `"2.0"` || m.id == nil || r.Header["Last-Event-Id"] != nil {
		return nil
	}
	c := &directCall{tool: t, id: m.fields["id"], sent: m.id, modern: !q.sessions}
	if c.arguments = m.params["arguments"]; !plain.Flat(c.arguments) {
		return nil
	}
	for name, value := range m.params {
		known := name == "name" || (name == "arguments" || name == "_meta") && value[0] == '{'
		if !known {
			return nil
		}
	}
	meta, _ := members(m.params["_meta"])
	ok, version := false, r.Header.Get("Mcp-Protocol-Version")
	if c.modern {
		c.client, ok = plain.Meta(meta, stateless)
		ok = ok && version == stateless && r.Header.Get("Mcp-Method") == m.method && r.Header.Get("Mcp-Name") == m.tool
	} else if q.session != nil {
		c.client = s.sessions.Client(q.session)
		ok = c.client != nil && s.protocols[version]
	}
	for name, value := range meta {
		ours := strings.HasPrefix(name, metaPrefix)
		switch {
		case ours && !c.modern:
			return nil
		case name == keyField:
			key, isText := rawjson.Text(value)
			c.meta, ok = mcp.Meta{keyField: key}, ok && isText
		case name != plain.Client && name != plain.Capabilities && !plain.Simple(value):
			return nil
		}
	}
	if !ok {
		return nil
	}
	return c
}

// run runs a direct call and writes its answer.
func (s *Server) run(w http.ResponseWriter, q *request, c *directCall) {
	if q.client.Err() != nil {
		return // nobody waits for it
	}
	base := q.client
	if q.session != nil {
		base = context.Background() // the call goes on when its client has left
	}
	ctx, cancel := context.WithTimeout(callContext{base, q}, s.o.Timeout)
	defer cancel()
	id := string(c.id)
	if q.session != nil {
		switch s.sessions.Follow(q.session, id, cancel) {
		case session.ErrEnded:
			errNoSession.to(message{id: c.sent}).write(w)
			return
		case session.ErrTwice:
			writeJSON(w, http.StatusBadRequest, errTwice.to(message{id: c.sent}).line())
			return
		}
	}
	defer s.cancelUnwanted(q, cancel)()
	q.charge.seen.reach()
	text := s.answerTo(ctx, c)
	c.toolCall = toolCall{} // to write the answer may take long
	if q.session != nil {
		s.sessions.Unfollow(q.session, id)
	}
	if q.client.Err() == nil {
		writeJSON(w, http.StatusOK, text)
	}
}

func writeJSON(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails if the client has left
}

// begin returns the beginning of the answer.
func (c *directCall) begin() []byte {
	return append(append(make([]byte, 0, 512), `{"jsonrpc":"2.0","id":`...), c.id...)
}

func appendError(text []byte, code int64, message string) []byte {
	line, _ := json.Marshal(&jsonrpc.Error{Code: code, Message: message}) // always encodes
	return append(append(append(text, `,"error":`...), line...), '}')
}

// answerTo returns the answer to a direct call as JSON.
func (s *Server) answerTo(ctx context.Context, c *directCall) (text []byte) {
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(c.tool.name, v)
			noteFailure(ctx, errPanic)
			text = appendError(c.begin(), jsonrpc.CodeInternalError, internalError)
		}
	}()
	res, err := s.finish(ctx, c.tool.tool, c.tool.known[requestOf(ctx).bound], c.toolCall)
	if err != nil {
		noteFailure(ctx, errInternal)
		return appendError(c.begin(), jsonrpc.CodeInternalError, internalError)
	}
	text = append(c.begin(), `,"result":{`...)
	if c.modern {
		text = append(append(append(text, `"_meta":{"`+metaPrefix+`serverInfo":`...), s.info...), "},"...)
	}
	text = append(text, `"content":[`...)
	for i, one := range texts(res) {
		if i > 0 {
			text = append(text, ',')
		}
		line, _ := json.Marshal(one) // texts always encode
		text = append(append(append(text, `{"type":"text","text":`...), line...), '}')
	}
	text = append(text, ']')
	if res.IsError {
		text = append(text, `,"isError":true`...)
	}
	if c.modern {
		text = append(text, `,"resultType":"complete"`...)
	}
	return append(text, "}}"...)
}
