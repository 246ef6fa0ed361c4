package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// badLine is a line that is no message, and how to say so.
type badLine struct {
	id      json.RawMessage // nil where there is none to answer to
	code    int64
	problem string
}

// A message is one as it stands, looked over and not decoded.
type message struct {
	text   []byte
	fields map[string]json.RawMessage
	tool   string // that is called; "" for any other method
}

// look checks what the SDK's decoder does not: that two decoders would read the same,
// and that it takes no more memory than its length lets expect. It costs little.
func look(text []byte) (message, *badLine) {
	m := message{text: bytes.TrimSpace(text)}
	if !json.Valid(m.text) {
		return m, &badLine{nil, jsonrpc.CodeParseError, "this is not valid JSON"}
	}
	if m.text[0] != '{' {
		return m, &badLine{nil, jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC message; send one object at a time, no batch"}
	}
	if values(m.text) > maxValues {
		return m, &badLine{nil, jsonrpc.CodeInvalidRequest, "the message has too many values"}
	}
	var problem string
	m.fields, problem = members(m.text)
	id, given := m.fields["id"]
	if given && !validID(id) {
		return m, &badLine{nil, jsonrpc.CodeInvalidRequest, "the id must be a string or a whole number up to 2^53"}
	}
	var params map[string]json.RawMessage
	if problem == "" {
		params, problem = ambiguous(m.fields)
	}
	if problem != "" {
		return m, &badLine{id, jsonrpc.CodeInvalidRequest, "the message has " + problem}
	}
	if string(m.fields["method"]) == `"tools/call"` {
		_ = json.Unmarshal(params["name"], &m.tool) // no text is no tool
	}
	return m, nil
}

// decode is the SDK's decoder, and strict where that is not.
func (m message) decode() (jsonrpc.Message, *badLine) {
	msg, err := jsonrpc.DecodeMessage(m.text)
	if problem := wrongFields(m.fields); problem != "" {
		return nil, &badLine{m.fields["id"], jsonrpc.CodeInvalidRequest, problem}
	} else if err != nil {
		return nil, &badLine{m.fields["id"], jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC 2.0 message, or nests too deep"}
	}
	return msg, nil
}

// maxValues is far more than any call has. Each takes tens of bytes when decoded.
const maxValues = 10_000

// values counts the values of valid JSON, or a few more.
func values(text []byte) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ',', '[', '{':
			n++
		}
	}
	return n
}

// known are the names of what a call is about. In another case they mean nothing
// to the SDK, which a client should hear.
var known = []string{"params", "name", "arguments", "uri", "_meta", keyField}

// members returns the members of a JSON object, as they stand in it. problem says
// that one is there twice, of which decoders take now the one and now the other,
// or in an odd case.
func members(object []byte) (fields map[string]json.RawMessage, problem string) {
	fields = map[string]json.RawMessage{}
	for i := skipSpace(object, 1); object[i] != '}'; {
		end := skipValue(object, i)
		var name string
		if json.Unmarshal(object[i:end], &name) != nil {
			return fields, "a name that is no text"
		}
		i = skipSpace(object, skipSpace(object, end)+1) // past the colon
		end = skipValue(object, i)
		if _, twice := fields[name]; twice {
			problem = short(name) + " twice; give it once"
		}
		for _, k := range known {
			if name != k && strings.EqualFold(name, k) {
				problem = short(name) + ", which is spelled " + k
			}
		}
		fields[name] = object[i:end]
		if i = skipSpace(object, end); object[i] == ',' {
			i = skipSpace(object, i+1)
		}
	}
	return fields, problem
}

// ambiguous looks for such members below those of a message, and returns those of
// its params.
func ambiguous(fields map[string]json.RawMessage) (params map[string]json.RawMessage, problem string) {
	for _, name := range []string{"params", "_meta"} {
		object := fields[name]
		if len(object) == 0 || object[0] != '{' {
			break
		}
		if fields, problem = members(object); problem != "" {
			break
		}
		if name == "params" {
			params = fields
		}
	}
	return params, problem
}

// skipSpace and skipValue go over valid JSON.
func skipSpace(text []byte, i int) int {
	for text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r' {
		i++
	}
	return i
}

func skipValue(text []byte, i int) int {
	depth := 0
	for {
		switch c := text[i]; c {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i // the end of what the number stands in
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i // the end of a number or a word
			}
			i++
			continue
		default:
			i++
			continue
		}
		if i++; depth == 0 {
			return i
		}
	}
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
		return utf8.Valid(id) && !loneSurrogate(id)
	}
	n, ok := integer(string(id))
	return ok && strconv.FormatInt(n, 10) == string(id)
}
