package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// success is the record as one line of JSON, and the body as it is.
func success(res result) (*mcp.CallToolResult, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(res.record); err != nil {
		return nil, err
	}
	content := []mcp.Content{&mcp.TextContent{Text: string(bytes.TrimRight(line.Bytes(), "\n"))}}
	if res.body != nil {
		content = append(content, &mcp.TextContent{Text: string(res.body)})
	}
	return &mcp.CallToolResult{Content: content}, nil
}

var kinds = []error{
	workspace.ErrNotFound, workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota, workspace.ErrConflict, workspace.ErrCorrupt,
	workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown, workspace.ErrReadOnly, workspace.ErrUnsupported, workspace.ErrClosed,
}

// failure is an error as a tool's answer. One that has no kind says nothing of
// the machine: it is logged.
func (s *Server) failure(t tool, err error) *mcp.CallToolResult {
	text := "internal error; the server's log has more"
	known := false
	for _, kind := range kinds {
		known = known || errors.Is(err, kind)
	}
	switch {
	case known:
		text = err.Error()
	case errors.Is(err, context.Canceled):
		text = "the call was cancelled; nothing happened"
	default:
		s.o.Logger.Error("tool failed", "tool", t.name, "err", err)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
