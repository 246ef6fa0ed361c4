package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// The SDK keeps an id as a string or as an int64. So it loses how 1.0 and "\u0031" were
// written, and it has no place for 1.5 and 1758000000000000000. withID puts the id into an
// answer as it was sent.

// validID reports whether an id is a number or a string.
func validID(id json.RawMessage) bool {
	return utf8.Valid(id) && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// carriedID returns the id by which the SDK knows a valid id. Ids that are equal have the same.
func carriedID(id json.RawMessage) json.RawMessage {
	switch n, whole := strictjson.Integer(id); {
	case whole:
		if text := strconv.FormatInt(n, 10); text != string(id) {
			return json.RawMessage(text)
		}
		return id
	case !validID(id), id[0] == '"' && !strictjson.LoneSurrogate(id):
		return id
	}
	text, _ := json.Marshal("scratchpad-id:" + string(id)) // always encodes
	return text
}

// isPlainID reports whether the SDK writes an id as it was sent.
func isPlainID(id json.RawMessage) bool {
	if id[0] != '"' {
		return &carriedID(id)[0] == &id[0]
	}
	for _, b := range id[1 : len(id)-1] {
		if b < ' ' || b > '~' || b == '\\' {
			return false
		}
	}
	return true
}

var beginsAnswer = []byte(`{"jsonrpc":"2.0","id":`)

// withID returns what the SDK has written for a request, with the request's id as it was sent.
// It looks for the place of the id. No text in a message looks like it, because quotes are
// escaped there.
func withID(text []byte, id json.RawMessage) []byte {
	at := bytes.Index(text, beginsAnswer)
	if at < 0 || isPlainID(id) {
		return text
	}
	from := at + len(beginsAnswer)
	return slices.Concat(text[:from], id, text[strictjson.ValueEnd(text, from):])
}
