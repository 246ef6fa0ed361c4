package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// result is the record of an answer and its body. A nil body means that there is none.
type result struct {
	record any
	body   []byte
}

// success returns the answer of a tool: the record as one line of JSON, and the body.
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

const internalError = "internal error; the server's log has more"

// explain returns the text of an error for a client. An error without a kind may say
// something about the machine. It is logged, and the client is told nothing of it.
func (s *Server) explain(where string, err error) string {
	if workspace.Kind(err) != nil {
		return brief(textOf(err))
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
	if r := requestOf(ctx); r == nil || r.client == nil {
		return err
	}
	switch kind := workspace.Kind(err); kind {
	case workspace.ErrReadOnly:
		return workspace.Errorf(kind, "the store takes no writes; ask the operator, whose log says why")
	case workspace.ErrStorageFull:
		return workspace.Errorf(kind, "the server's disk is full; ask the operator to make room")
	case workspace.ErrUnsupported:
		return workspace.Errorf(kind, "the server does not know the database any more; ask the operator, whose log says why")
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
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: brief(err.Error())}
	}
	cut := *wire
	cut.Message = brief(err.Error())
	if len(cut.Data) > maxErrorData || !json.Valid(cut.Data) { // the SDK quotes a URI as Go does, which is not JSON
		cut.Data = nil
	}
	return &cut
}

// maxErrorTokens is a little less than the 200 tokens that an error may cost.
const maxErrorTokens = 185

// brief cuts a text to the tokens that an error may cost. First it cuts long words in
// their middle, because those come from a client or a file. Then it cuts the middle of
// the text: the beginning says what was wrong, and the end which kind of error it is.
func brief(text string) string {
	const most, short = 20 * maxErrorTokens, 12
	if len(text) <= maxErrorTokens {
		return text
	}
	words := strings.Split(middleCut(text, most), " ")
	for atMost(strings.Join(words, " ")) > maxErrorTokens {
		longest := 0
		for i, w := range words {
			if len(w) > len(words[longest]) {
				longest = i
			}
		}
		if len(words[longest]) <= short {
			break
		}
		words[longest] = middleCut(words[longest], len(words[longest])/2)
	}
	text = strings.Join(words, " ")
	for keep := len(text); atMost(text) > maxErrorTokens; {
		keep = keep * 3 / 4
		text = middleCut(text, keep)
	}
	return text
}

// middleCut cuts a text in its middle to at most the given bytes.
func middleCut(text string, most int) string {
	const gap = "..."
	if len(text) <= most {
		return text
	}
	keep := (most - len(gap)) / 2
	from, to := keep, len(text)-keep
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[:from] + gap + text[to:]
}

// atMost returns the tokens that a text costs, or more, whatever the text is. Plain words
// are estimated. In any other word each byte may cost a token, and so may the space
// before it.
func atMost(text string) int {
	var plain []byte
	odd := 0
	for word := range strings.SplitSeq(text, " ") {
		if plainWord(word) {
			plain = append(append(plain, word...), ' ')
		} else {
			odd += len(word) + 1
		}
	}
	return tokens.EstimateBytes(plain)*21/20 + odd
}

// plainWord reports whether a word has ASCII letters only, apart from one mark before
// them and up to three after them.
func plainWord(word string) bool {
	const long, marks = 20, "\"'(),;:."
	if len(word) > long || word == "" {
		return false
	}
	if strings.IndexByte(marks, word[0]) >= 0 {
		word = word[1:]
	}
	letters := strings.TrimRight(word, marks)
	if len(letters) < len(word)-3 {
		return false
	}
	for _, c := range []byte(letters) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return letters != ""
}
