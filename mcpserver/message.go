package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/brevity"
)

// badLine is the error that answers a line which is not a message.
type badLine struct {
	id      json.RawMessage // of the request that is answered; nil if it is not known
	code    int64
	problem string
	data    json.RawMessage // more for programs; nil: nothing
}

// text returns the answer. A nil id is answered as null (JSON-RPC 2.0, section 5).
func (b *badLine) text() []byte {
	problem := struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{b.code, b.problem, b.data}
	line, _ := json.Marshal(problem) // always encodes
	id := b.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), line, []byte("}"))
}

// idInUse refuses a second request with the id of one that is under way.
const idInUse = "the id is that of a request that is not answered yet; give each its own"

// A message is one message before it is decoded.
type message struct {
	text   []byte          // as the SDK gets it
	id     json.RawMessage // as the client sent it; nil: there is none
	fields map[string]json.RawMessage
	params map[string]json.RawMessage
	method string   // "" if there is none
	tool   string   // the tool that it calls; "" for any other method
	wrong  *badLine // its params; nil: they are right
	answer bool     // it answers a message, so nobody answers it
}

// inspect checks what the SDK's decoder does not check: that any two decoders read the
// same message, and that its memory is in proportion to its length. It repairs what clients
// are known to send. It is cheap.
func inspect(text []byte) (message, *badLine) {
	if name := rawjson.Foreign(text); name != "" {
		return message{}, &badLine{code: jsonrpc.CodeParseError, problem: "this is " + name + "; send UTF-8"}
	}
	m := message{text: bytes.Trim(rawjson.SkipMark(text), " \t\r\n")}
	values, valid := rawjson.Check(m.text)
	if !valid {
		return m, &badLine{code: jsonrpc.CodeParseError, problem: "this is not valid JSON; send one JSON-RPC message"}
	}
	if m.text[0] != '{' {
		return m, &badLine{code: jsonrpc.CodeInvalidRequest, problem: "this is not a JSON-RPC message; send one object at a time, no batch"}
	}
	var problem string
	m.fields, problem = members(m.text)
	if m.answer = isAnswer(m.fields); m.answer {
		if problem == "" && values <= maxValues && m.fields["method"] == nil {
			_, bad := m.decode()
			return m, bad
		}
		return m, m.bad(jsonrpc.CodeInvalidRequest, notAMessage)
	}
	if id, given := m.fields["id"]; given && !validID(id) {
		return m, &badLine{code: jsonrpc.CodeInvalidRequest, problem: "the id must be a string or a number"}
	}
	m.id = m.fields["id"]
	if values > maxValues {
		return m, m.bad(jsonrpc.CodeInvalidRequest, "the message has too many values; send JSON that is content as a string")
	}
	if problem == "" {
		m.params, problem = ambiguous(m.fields)
	}
	if problem != "" {
		return m, m.bad(jsonrpc.CodeInvalidRequest, "the message has "+problem)
	}
	if problem = wrongFields(m.fields); problem != "" {
		return m, m.bad(jsonrpc.CodeInvalidRequest, problem)
	}
	m.method, _ = rawjson.Text(m.fields["method"])
	m.repair()
	if m.method == "tools/call" {
		m.tool, _ = rawjson.Text(m.params["name"])
	}
	m.wrong = m.wrongParams()
	return m, nil
}

func (m message) bad(code int64, problem string) *badLine {
	return &badLine{id: m.id, code: code, problem: brevity.Cut(problem)}
}

// isAnswer reports whether a message answers another. To answer it could go on for ever.
func isAnswer(fields map[string]json.RawMessage) bool {
	method := fields["method"]
	return (method == nil || string(method) == "null") && (fields["result"] != nil || fields["error"] != nil)
}

// decode decodes as the SDK does.
func (m message) decode() (jsonrpc.Message, *badLine) {
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

// members returns the members of a JSON object. problem says that the object has a name
// twice, because decoders disagree on which one they take, or a known name in another
// case.
func members(object []byte) (fields map[string]json.RawMessage, problem string) {
	if len(object) == 0 || object[0] != '{' {
		return nil, ""
	}
	fields = make(map[string]json.RawMessage, 4)
	allText := rawjson.EachMember(object, func(name string, value json.RawMessage) bool {
		if _, twice := fields[name]; twice {
			problem = short(name) + " twice; give it once"
		}
		for _, k := range callNames {
			if name != k && strings.EqualFold(name, k) {
				problem = short(name) + ", which is spelled " + k
			}
		}
		fields[name] = value
		return true
	})
	if !allText {
		problem = "a name that is not text"
	}
	return fields, problem
}

// ambiguous looks for the same problems in the params of a message, their _meta, and the
// context of a completion. It returns the members of the params.
func ambiguous(fields map[string]json.RawMessage) (params map[string]json.RawMessage, problem string) {
	if params, problem = members(fields["params"]); problem != "" {
		return params, problem
	}
	if _, problem = members(params["_meta"]); problem != "" {
		return params, problem
	}
	context, problem := members(params["context"])
	if problem == "" {
		_, problem = members(context["arguments"])
	}
	return params, problem
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
