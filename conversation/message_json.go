package conversation

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// A wireMessage is the JSON form of a message, which is Flint's. Content is a string
// or a list of parts, and arguments are a JSON value. Raw is a JSON string, because a
// nested value would lose its spaces.
type wireMessage struct {
	Role        Role            `json:"role"`
	Content     json.RawMessage `json:"content"`
	ToolCalls   []wireCall      `json:"toolCalls,omitempty"`
	ToolCallID  string          `json:"toolCallId,omitempty"`
	IsError     bool            `json:"isError,omitempty"`
	Raw         *string         `json:"raw,omitempty"`
	RawProvider Provider        `json:"rawProvider,omitempty"`
}

type wireCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

type wirePart struct {
	Type      string  `json:"type"`
	Text      *string `json:"text,omitempty"`
	URL       string  `json:"url,omitempty"`
	Data      string  `json:"data,omitempty"`
	MediaType string  `json:"mediaType,omitempty"`
}

// MarshalJSON returns the message in Flint's form, with the further members isError,
// raw and rawProvider. Arguments that are not JSON become a JSON string, and so do
// arguments that are a JSON string already. Errors: [ErrInvalid].
func (m Message) MarshalJSON() ([]byte, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	w, err := m.wire(valueArguments)
	if err != nil {
		return nil, err
	}
	return marshal(w)
}

// wire returns the JSON form of the message. arguments encodes the arguments of a
// call.
func (m Message) wire(arguments func(json.RawMessage) json.RawMessage) (*wireMessage, error) {
	w := &wireMessage{Role: m.Role, ToolCallID: m.ToolCallID, IsError: m.IsError, RawProvider: m.RawProvider}
	if m.Raw != nil {
		raw := string(m.Raw)
		w.Raw = &raw
	}
	for _, c := range m.ToolCalls {
		w.ToolCalls = append(w.ToolCalls, wireCall{c.ID, c.Name, arguments(c.Arguments)})
	}
	var err error
	if m.Parts == nil {
		w.Content, err = marshal(m.Content)
	} else {
		parts := make([]wirePart, len(m.Parts))
		for i, p := range m.Parts {
			parts[i] = wirePart{Type: p.Type, URL: p.URL, Data: p.Data, MediaType: p.MediaType}
			if p.Type == TextPart {
				parts[i].Text = &p.Text
			}
		}
		w.Content, err = marshal(parts)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// valueArguments returns arguments as a nested JSON value, or as a JSON string if
// they could not be read again otherwise.
func valueArguments(a json.RawMessage) json.RawMessage {
	if len(a) == 0 {
		return nil
	}
	if trimmed := bytes.TrimLeft(a, " \t\r\n"); json.Valid(a) && trimmed[0] != '"' && !deep(a) && checkText(a) == nil {
		return a
	}
	return quote(a)
}

// exactArguments returns arguments so that they are read again byte for byte: as a
// nested value if json.Marshal, which compacts and escapes it, leaves it as it is, or
// else as a JSON string.
func exactArguments(a json.RawMessage) json.RawMessage {
	value := valueArguments(a)
	if len(value) == 0 || value[0] == '"' {
		return value
	}
	var compact, escaped bytes.Buffer
	if json.Compact(&compact, a) == nil {
		json.HTMLEscape(&escaped, compact.Bytes())
	}
	if bytes.Equal(escaped.Bytes(), a) {
		return a
	}
	return quote(a)
}

// deep reports whether a value is nested so deeply that the decoder, which has a
// limit, may not read the message around it.
func deep(value []byte) bool {
	const most = 1000
	return bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) > most && depth(value) > most
}

// depth returns how deeply a valid value is nested.
func depth(value []byte) int {
	now, most, text := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			text = !text
		case c == '\\':
			i++
		case text:
		case c == '[' || c == '{':
			now++
			most = max(most, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return most
}

func quote(text []byte) json.RawMessage {
	quoted, err := marshal(string(text))
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return quoted
}

// marshal is like json.Marshal, but leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and the messages of Flint. A content of
// null is empty. Unknown members are ignored. Errors: [ErrInvalid].
func (m *Message) UnmarshalJSON(text []byte) error {
	if err := checkText(text); err != nil {
		return err
	}
	var w wireMessage
	if err := json.Unmarshal(text, &w); err != nil {
		return invalid("a message: %v", err)
	}
	read, err := w.message()
	if err != nil {
		return err
	}
	*m = read
	return nil
}

// message returns the message of a JSON form.
func (w *wireMessage) message() (Message, error) {
	read := Message{Role: w.Role, ToolCallID: w.ToolCallID, IsError: w.IsError, RawProvider: w.RawProvider}
	if w.Raw != nil {
		read.Raw = json.RawMessage(*w.Raw)
	}
	if err := read.readContent(w.Content); err != nil {
		return Message{}, err
	}
	for _, c := range w.ToolCalls {
		call := ToolCall(c)
		if len(c.Arguments) > 0 && c.Arguments[0] == '"' {
			var text string
			if err := json.Unmarshal(c.Arguments, &text); err != nil {
				return Message{}, invalid("the arguments of a tool call: %v", err)
			}
			if call.Arguments = nil; text != "" {
				call.Arguments = json.RawMessage(text)
			}
		}
		read.ToolCalls = append(read.ToolCalls, call)
	}
	if err := read.validate(); err != nil {
		return Message{}, err
	}
	return read, nil
}

func (m *Message) readContent(content json.RawMessage) error {
	switch {
	case len(content) == 0 || string(content) == "null":
		return nil
	case content[0] == '"':
		if err := json.Unmarshal(content, &m.Content); err != nil {
			return invalid("the content: %v", err)
		}
		return nil
	}
	var parts []wirePart
	if err := json.Unmarshal(content, &parts); err != nil {
		return invalid("the content is neither a text nor a list of parts: %v", err)
	}
	m.Parts = make([]Part, len(parts))
	for i, p := range parts {
		m.Parts[i] = Part{Type: p.Type, URL: p.URL, Data: p.Data, MediaType: p.MediaType}
		if p.Text != nil {
			m.Parts[i].Text = *p.Text
		}
	}
	return nil
}

// checkText returns an error for JSON that the decoder would change silently: bytes
// that are not UTF-8, and an escape of half a character.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		return invalid("the JSON is not valid UTF-8")
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if i >= len(text) || text[i] != 'u' {
			continue
		}
		switch r := unit16(text, i-1); {
		case r >= 0xDC00 && r < 0xE000:
			return invalid("the JSON has half a character, a lone surrogate")
		case r >= 0xD800 && r < 0xDC00:
			if low := unit16(text, i+5); low < 0xDC00 || low >= 0xE000 {
				return invalid("the JSON has half a character, a lone surrogate")
			}
			i += 10
		}
	}
	return nil
}

// unit16 returns the value of the escape \uXXXX at i, or 0 if there is none.
func unit16(text []byte, i int) rune {
	if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
		return 0
	}
	r, err := strconv.ParseUint(string(text[i+2:i+6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(r)
}
