package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// result is the record of an answer and its body, nil for none.
type result struct {
	record any
	body   []byte
}

// success is the record as one line of JSON, and the body as it is.
func success(res result) (*mcp.CallToolResult, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(res.record); err != nil {
		return nil, err
	}
	content := []mcp.Content{&mcp.TextContent{Text: strings.TrimRight(line.String(), "\n")}}
	if res.body != nil {
		content = append(content, &mcp.TextContent{Text: string(res.body)})
	}
	return &mcp.CallToolResult{Content: content}, nil
}

var kinds = []error{
	workspace.ErrNotFound, workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota, workspace.ErrConflict, workspace.ErrCorrupt,
	workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown, workspace.ErrReadOnly, workspace.ErrUnsupported, workspace.ErrClosed,
}

const internalError = "internal error; the server's log has more"

// explain is an error as a client may see it. One that has no kind says nothing
// of the machine: it is logged.
func (s *Server) explain(where string, err error) string {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return brief(err.Error())
		}
	}
	if errors.Is(err, context.Canceled) {
		return "the call was cancelled; nothing happened"
	}
	s.o.Logger.Error("call failed", "in", where, "err", err)
	return internalError
}

// failure is an error as a tool's answer.
func (s *Server) failure(t tool, err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: s.explain(t.name, err)}}}
}

// maxErrorData bounds what the SDK repeats of a request in its error.
const maxErrorData = 512

// briefError is a protocol error of no more than an error may cost, and with a
// code, which the SDK leaves out of what it has none for.
func briefError(err error) error {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: brief(err.Error())}
	}
	cut := *wire
	cut.Message = brief(err.Error())
	if len(cut.Data) > maxErrorData || !json.Valid(cut.Data) { // the SDK quotes a URI as Go does
		cut.Data = nil
	}
	return &cut
}

// maxErrorTokens is a little less than the 200 that an error may cost.
const maxErrorTokens = 185

// brief cuts a text in its middle to what an error may cost: its beginning says
// what was wrong, its end what kind of error it is and what to do.
func brief(text string) string {
	cut := text
	for keep := len(text); len(cut) > maxErrorTokens && atMost(cut) > maxErrorTokens; {
		keep = min(keep*3/4, 6*maxErrorTokens)
		cut = atRune(text, keep/2, false) + " ... " + atRune(text, len(text)-keep/2, true)
	}
	return cut
}

// atMost is what a text costs or more, also one that somebody sent to be quoted.
// The estimate errs on runs of punctuation, by what was found by trying, and on
// rare characters and controls, which cost a token for each byte at worst.
func atMost(text string) int {
	plain := []byte(text)
	var marks, odd int
	for i, c := range plain {
		switch {
		case c < ' ' || c >= 0x7f:
			odd++
			plain[i] = ' ' // what stands around it shares no token
		case unicode.In(rune(c), unicode.P, unicode.S):
			marks++
		}
	}
	return tokens.EstimateBytes(plain)*21/20 + marks*2/5 + odd
}

// atRune is text up to the byte at, or from it, without half a character.
func atRune(text string, at int, from bool) string {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	if from {
		return text[at:]
	}
	return text[:at]
}
