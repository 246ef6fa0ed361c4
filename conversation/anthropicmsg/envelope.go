package anthropicmsg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// An envelope is a message as JSON, with the place of its content.
type envelope struct {
	raw        json.RawMessage
	role       string
	content    json.RawMessage
	start, end int // of the content in raw
}

// openEnvelope reads a message object. Unlike encoding/json, and like the provider, it
// distinguishes upper and lower case in names.
func openEnvelope(raw []byte) (envelope, error) {
	e := envelope{raw: raw}
	if !utf8.Valid(raw) {
		return e, invalid("it is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return e, invalid("it is not a JSON object")
	}
	roles := 0
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return e, invalid("%v", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return e, invalid("%v", err)
		}
		switch name {
		case "role":
			roles++
			if err := json.Unmarshal(value, &e.role); err != nil {
				return e, invalid("its role is not a string")
			}
		case "content":
			if e.content != nil {
				return e, invalid("it has two contents")
			}
			e.content = value
			e.end = int(d.InputOffset())
			e.start = e.end - len(value)
		}
	}
	if _, err := d.Token(); err != nil {
		return e, invalid("%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return e, invalid("there is something after it")
	}
	return e, e.check(roles)
}

func (e envelope) check(roles int) error {
	switch {
	case roles != 1:
		return invalid("it has %d roles, a message has one", roles)
	case e.role != "user" && e.role != "assistant" && e.role != "system":
		return invalid("its role is %q, allowed are user, assistant and system", e.role)
	case e.content == nil:
		return invalid("it has no content")
	case e.content[0] != '[' && e.content[0] != '"':
		return invalid("its content is neither a text nor a list of blocks")
	}
	return nil
}

// with returns the message with another content.
func (e envelope) with(content []byte) json.RawMessage {
	return bytes.Join([][]byte{e.raw[:e.start], content, e.raw[e.end:]}, nil)
}

// plain reports whether the SDK's own type would be sent as the same JSON.
func (e envelope) plain() bool {
	return e.content[0] == '[' && string(e.raw[:e.start]) == `{"content":` &&
		string(e.raw[e.end:]) == `,"role":"`+e.role+`"}`
}

// blocks returns the blocks of a content. A text is one block.
func blocks(content []byte) ([]json.RawMessage, error) {
	if content[0] == '"' {
		if string(content) == `""` {
			return nil, nil
		}
		return []json.RawMessage{json.RawMessage(`{"text":` + string(content) + `,"type":"text"}`)}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, invalid("%v", err)
	}
	for i, b := range list {
		if b[0] != '{' {
			return nil, invalid("block %d is not an object", i)
		}
	}
	return list, nil
}

// array is the reverse of blocks.
func array(list []json.RawMessage) []byte {
	text := []byte{'['}
	for i, b := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, b...)
	}
	return append(text, ']')
}

// compact returns the bytes that the SDK sends for raw JSON: without spaces, and with
// <, > and & escaped. It returns nil if raw is not JSON.
func compact(raw []byte) []byte {
	text, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return nil
	}
	return text
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), conversation.ErrInvalid)
}
