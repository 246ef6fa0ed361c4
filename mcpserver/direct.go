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
)

// A directCall is a call of a tool that runs without the SDK. The SDK decodes a message
// about six times, each time with a new buffer of 32 KiB, and begins a session for each
// request of 2026-07-28. That takes longer than most tools.
//
// Only a plain call is direct: one of which the SDK would check nothing that is not checked
// here. All others go to the SDK. A client cannot tell which way its call went, because the
// answers have the same bytes.
type directCall struct {
	tool   *directTool
	id     json.RawMessage
	modern bool
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
	t := s.plain[m.tool]
	if t == nil || len(m.fields) != 4 || string(m.fields["jsonrpc"]) != `"2.0"` || !plain.ID(m.fields["id"]) || !plain.Header(r) || !plain.Host(q.client, r.Host) {
		return nil
	}
	c := &directCall{tool: t, id: m.fields["id"], modern: !q.sessions}
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
		ours := strings.HasPrefix(name, plain.Prefix)
		switch {
		case ours && !c.modern:
			return nil
		case name == keyField:
			key, isText := rawjson.Text(value)
			c.meta, ok = mcp.Meta{keyField: key}, ok && isText
		case !ours && (value[0] == '{' || value[0] == '['):
			return nil
		}
	}
	if !ok {
		return nil
	}
	return c
}

// run runs a direct call and writes its answer. It reports false, and does nothing, if a
// call of the session with the same id is under way.
func (s *Server) run(w http.ResponseWriter, q *request, c *directCall) bool {
	s.running.RLock()
	defer s.running.RUnlock()
	base := context.Background() // a call of a session goes on when the client has left
	if c.modern {
		base = q.client
	}
	ctx, cancel := context.WithTimeout(callContext{base, q}, s.o.Timeout)
	defer cancel()
	if !c.modern {
		if !s.sessions.Follow(q.session, string(c.id), cancel) {
			return false
		}
		defer s.sessions.Unfollow(q.session, string(c.id))
	}
	defer s.cancelUnwanted(q, cancel)()
	q.charge.seen.reach()
	text := s.answerTo(ctx, c)
	if q.client.Err() != nil {
		return true
	}
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // fails if the client has left
	return true
}

// answerTo returns the answer to a direct call as JSON.
func (s *Server) answerTo(ctx context.Context, c *directCall) []byte {
	text := append(make([]byte, 0, 512), `{"jsonrpc":"2.0","id":`...)
	text = append(text, c.id...)
	res, err := s.finish(ctx, c.tool.tool, c.tool.known[requestOf(ctx).bound], c.toolCall)
	if err != nil {
		noteFailure(ctx, errInternal)
		line, _ := json.Marshal(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: internalError})
		return append(append(append(text, `,"error":`...), line...), '}')
	}
	text = append(text, `,"result":{`...)
	if c.modern {
		text = append(append(append(text, `"_meta":{"`+plain.Prefix+`serverInfo":`...), s.info...), "},"...)
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
