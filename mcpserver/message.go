package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// badLine is a line that is no message, and how to say so.
type badLine struct {
	id      json.RawMessage // nil where there is none to answer to
	code    int64
	problem string
}

// decodeLine is strict where the SDK's decoder is not: an id that it would
// change could not be answered.
func decodeLine(text []byte) (jsonrpc.Message, *badLine) {
	text = bytes.TrimSpace(text)
	var fields map[string]json.RawMessage // a struct would fold the case of names
	if err := json.Unmarshal(text, &fields); text[0] != '{' && json.Valid(text) {
		return nil, &badLine{nil, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message; send one object a line, no batch"}
	} else if err != nil {
		return nil, &badLine{nil, jsonrpc.CodeParseError, "the line is not valid JSON"}
	}
	id, given := fields["id"]
	if given && !validID(id) {
		return nil, &badLine{nil, jsonrpc.CodeInvalidRequest, "the id must be a string or a whole number up to 2^53"}
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if problem := wrongFields(fields); problem != "" {
		return nil, &badLine{id, jsonrpc.CodeInvalidRequest, problem}
	} else if err != nil {
		return nil, &badLine{id, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message, or nests too deep"}
	}
	return msg, nil
}

// wrongFields says what makes an object no message. The SDK takes one without a
// method for an answer to a call that it never made.
func wrongFields(fields map[string]json.RawMessage) string {
	method := fields["method"]
	switch {
	case string(fields["jsonrpc"]) != `"2.0"`:
		return `jsonrpc must be "2.0"`
	case method == nil && fields["result"] == nil && fields["error"] == nil:
		return "there is no method"
	case method != nil && method[0] != '"':
		return "the method must be a string"
	}
	return ""
}

// validID reports whether the answer can carry the id as it is.
func validID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	n, ok := integer(string(id))
	return ok && strconv.FormatInt(n, 10) == string(id)
}
