package mcpserver

import (
	"cmp"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// A message is one message before it is decoded.
type message struct {
	text   []byte          // as the SDK gets it
	id     json.RawMessage // as the client sent it; nil: there is none
	fields map[string]json.RawMessage
	params map[string]json.RawMessage
	method string   // "" if there is none
	tool   string   // the tool that it calls; "" for any other method
	wrong  *refusal // its params; nil: they are right
	answer bool     // it answers a message, so nobody answers it
}

// inspect checks what the SDK's decoder does not check: that any two decoders read the
// same message, and that its memory is in proportion to its length. It repairs what clients
// are known to send. It is cheap.
func inspect(text []byte) (message, *refusal) {
	text, values, err := strictjson.Parse(text)
	if err != nil {
		problem := "this is " + err.Error()
		if err == strictjson.ErrInvalid {
			problem += "; send one JSON-RPC message"
		}
		return message{}, &refusal{code: jsonrpc.CodeParseError, text: problem}
	}
	m := message{text: text}
	if m.text[0] != '{' {
		return m, &refusal{
			text: "this is not a JSON-RPC message; send one object at a time, no batch"}
	}
	m.fields, err = members(m.text)
	if m.answer = isAnswer(m.fields); m.answer {
		if err == nil && values <= maxValues && m.fields["method"] == nil {
			_, bad := m.decode()
			return m, bad
		}
		return m, m.bad(jsonrpc.CodeInvalidRequest, notAMessage)
	}
	if id, given := m.fields["id"]; given && !validID(id) {
		return m, &refusal{text: "the id must be a string or a number"}
	}
	m.id = m.fields["id"]
	if values > maxValues {
		return m, m.bad(jsonrpc.CodeInvalidRequest,
			"the message has too many values; send JSON that is content as a string")
	}
	if err == nil {
		m.params, err = ambiguous(m.fields)
	}
	if err != nil {
		return m, m.bad(jsonrpc.CodeInvalidRequest, err.Error())
	}
	if problem := wrongFields(m.fields); problem != "" {
		return m, m.bad(jsonrpc.CodeInvalidRequest, problem)
	}
	m.method, _ = strictjson.Text(m.fields["method"])
	m.repair()
	if m.method == callTool {
		m.tool, _ = strictjson.Text(m.params["name"])
	}
	m.wrong = m.wrongParams()
	return m, nil
}

func (m message) bad(code int64, problem string) *refusal {
	return &refusal{id: m.id, code: code, text: shorten(problem)}
}

// isAnswer reports whether a message answers another. To answer it could go on for ever.
func isAnswer(fields map[string]json.RawMessage) bool {
	method := fields["method"]
	return (method == nil || string(method) == "null") && (fields["result"] != nil || fields["error"] != nil)
}

// decode decodes as the SDK does.
func (m message) decode() (jsonrpc.Message, *refusal) {
	msg, err := jsonrpc.DecodeMessage(m.text)
	if err != nil {
		return nil, m.bad(jsonrpc.CodeInvalidRequest, notAMessage)
	}
	return msg, nil
}

const notAMessage = "this is not a JSON-RPC 2.0 message, or nests too deep"

// maxValues is far more than any call needs. A decoded value takes tens of bytes.
const maxValues = 10_000

// callNames are the names that matter in a call. The SDK ignores them in another case, so a
// client is told.
var callNames = []string{"params", "name", "arguments", "uri", "_meta", keyField}

// members returns the members of a JSON object. The error says that two decoders could read
// the object differently.
func members(object json.RawMessage) (map[string]json.RawMessage, error) {
	return strictjson.Unique(object, "member", callNames...)
}

// ambiguous looks for the same problem in the params of a message, their _meta, and the context
// of a completion. It returns the members of the params.
func ambiguous(fields map[string]json.RawMessage) (params map[string]json.RawMessage, err error) {
	if params, err = members(fields["params"]); err != nil {
		return params, err
	}
	context, err := members(params["context"])
	for _, inner := range []json.RawMessage{params["_meta"], context["arguments"]} {
		_, wrong := members(inner)
		err = cmp.Or(err, wrong)
	}
	return params, err
}

// wrongFields says why an object is not a request, or returns "".
func wrongFields(fields map[string]json.RawMessage) string {
	switch method := fields["method"]; {
	case string(fields["jsonrpc"]) != `"2.0"`:
		return `jsonrpc must be "2.0"`
	case method == nil:
		return "there is no method"
	case method[0] != '"':
		return "the method must be a string"
	}
	return ""
}
