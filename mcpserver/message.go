package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
)

// badLine is the error that answers a line which is not a message.
type badLine struct {
	id      json.RawMessage // of the request that is answered; nil if it is not known
	code    int64
	problem string
}

// A message is one message before it is decoded.
type message struct {
	text   []byte
	fields map[string]json.RawMessage
	params map[string]json.RawMessage
	method string // "" if there is none
	tool   string // the tool that it calls; "" for any other method
}

// inspect checks what the SDK's decoder does not check: that any two decoders read the
// same message, and that its memory is in proportion to its length. It is cheap.
func inspect(text []byte) (message, *badLine) {
	m := message{text: bytes.Trim(text, " \t\r\n")}
	values, valid := rawjson.Check(m.text)
	if !valid {
		return m, &badLine{nil, jsonrpc.CodeParseError, "this is not valid JSON"}
	}
	if m.text[0] != '{' {
		return m, &badLine{nil, jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC message; send one object at a time, no batch"}
	}
	if values > maxValues {
		return m, &badLine{nil, jsonrpc.CodeInvalidRequest, "the message has too many values"}
	}
	var problem string
	m.fields, problem = members(m.text)
	id, given := m.fields["id"]
	if given && !validID(id) {
		return m, &badLine{nil, jsonrpc.CodeInvalidRequest, "the id must be a string or a whole number up to 2^53"}
	}
	m.method, _ = rawjson.Text(m.fields["method"])
	if problem == "" {
		m.params, problem = ambiguous(m.fields)
	}
	if problem != "" {
		return m, &badLine{id, jsonrpc.CodeInvalidRequest, "the message has " + problem}
	}
	if m.method == "tools/call" {
		m.tool, _ = rawjson.Text(m.params["name"])
	}
	return m, nil
}

// decode decodes as the SDK does, but strictly.
func (m message) decode() (jsonrpc.Message, *badLine) {
	msg, err := jsonrpc.DecodeMessage(m.text)
	if problem := wrongFields(m.fields); problem != "" {
		return nil, &badLine{m.fields["id"], jsonrpc.CodeInvalidRequest, problem}
	} else if err != nil {
		return nil, &badLine{m.fields["id"], jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC 2.0 message, or nests too deep"}
	}
	return msg, nil
}

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

// wrongFields says why an object is not a message, or returns "". The SDK takes an object
// without a method for the answer to a call that it never made.
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

// validID reports whether an answer can carry the id unchanged.
func validID(id json.RawMessage) bool {
	if id[0] == '"' {
		return utf8.Valid(id) && !rawjson.LoneSurrogate(id)
	}
	n, ok := rawjson.Integer(id)
	return ok && strconv.FormatInt(n, 10) == string(id)
}
