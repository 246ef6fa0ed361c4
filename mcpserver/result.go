package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// result is the record of an answer and its body. nil means that there is none.
type result struct {
	record any
	body   []byte
}

// success returns the answer of a tool: the record as one line of JSON, and the body.
func success(res result) (*mcp.CallToolResult, error) {
	content := make([]mcp.Content, 0, 2)
	if res.record != nil {
		line, err := strictjson.Line(res.record)
		if err != nil {
			return nil, err
		}
		content = append(content, &mcp.TextContent{Text: line})
	}
	if res.body != nil {
		content = append(content, &mcp.TextContent{Text: string(res.body)})
	}
	return &mcp.CallToolResult{Content: content}, nil
}

const internalError = "internal error; the server's log has more"

// explain returns the text of an error for a client. An error without a kind may say
// something about the machine. It is logged, and the client is told nothing of it.
func (s *Server) explain(where string, err error) string {
	if workspace.Kind(err) != nil {
		return shorten(textOf(err))
	}
	if errors.Is(err, context.Canceled) {
		return "the call was cancelled"
	}
	s.o.Logger.Error("call failed", "in", where, "err", err)
	return internalError
}

// withoutMachine returns the error of a store for a client. A client on a network is not
// told the names of the server's files, which the log has.
func withoutMachine(ctx context.Context, err error) error {
	if requestOf(ctx).client == nil {
		return err
	}
	// ErrArchived says nothing of the machine.
	if k := errorkind.Of(err); k.Safe != "" && !errors.Is(err, workspace.ErrArchived) {
		return workspace.Errorf(k.Err, "%s", k.Safe)
	}
	return err
}

// failure returns the answer of a tool that failed.
func (s *Server) failure(t tool, err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: s.explain(t.name, err)}}}
}

// maxErrorData limits the bytes of the request that the SDK repeats in its error.
const maxErrorData = 512

// briefError returns a protocol error that costs no more than an error may, and that has
// a code. Some errors of the SDK have none.
func briefError(err error) error {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: shorten(withWay(err.Error()))}
	}
	cut := *wire
	cut.Message = shorten(withWay(err.Error()))
	if len(cut.Data) > maxErrorData || !json.Valid(cut.Data) { // the SDK quotes a URI as Go does, which is not JSON
		cut.Data = nil
	}
	return &cut
}

// withWay adds to the text of an error of the SDK what a client can do, unless the text has
// that already.
func withWay(text string) string {
	switch {
	case strings.Contains(text, "; tools/list has"):
	case strings.HasSuffix(text, "invalid during session initialization"):
		return text + "; send initialize first, or name the protocol " + stateless + " in _meta"
	case strings.HasPrefix(text, "unknown tool"):
		return text + "; tools/list has those that exist"
	}
	return text
}
