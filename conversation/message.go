package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A Role says who wrote a message.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// A Provider is an API that messages are sent to.
type Provider string

const (
	Anthropic       Provider = "anthropic"        // the Messages API
	OpenAIChat      Provider = "openai-chat"      // chat completions, and compatible APIs
	OpenAIResponses Provider = "openai-responses" // the Responses API
	Gemini          Provider = "gemini"           // generateContent
)

// A Message is one entry of a conversation. It has Content or Parts, not both. It may
// have neither if it has calls or Raw.
type Message struct {
	Role       Role
	Content    string     // text
	Parts      []Part     // in place of Content: several texts, or images
	ToolCalls  []ToolCall // of an Assistant message
	ToolCallID string     // of a Tool message: the call that it answers
	IsError    bool       // of a Tool message: the tool failed

	// Raw is the whole message in its provider's form, byte for byte, or nil. The
	// adapter of RawProvider sends Raw and nothing else. Other adapters use the other
	// fields, which must describe the same message.
	//
	// Anthropic: a message, {"role","content"}, or an array of content blocks. In a
	// System message, the blocks are those of the system prompt. In other messages,
	// they belong to the provider's message that began with the message before: one
	// message of Anthropic may have several results.
	//
	// OpenAIChat: a message.
	//
	// OpenAIResponses: an input item, or an array of input items.
	//
	// Gemini: a content, {"role","parts"}.
	Raw         json.RawMessage
	RawProvider Provider
}

// The types of a [Part].
const (
	TextPart     = "text"
	ImagePart    = "image"
	ImageB64Part = "image_b64"
)

// A Part is a piece of a message's content.
type Part struct {
	Type      string // TextPart, ImagePart or ImageB64Part
	Text      string // of a TextPart
	URL       string // of an ImagePart
	Data      string // of an ImageB64Part, in base64
	MediaType string // of an ImageB64Part, such as image/png
}

// A ToolCall asks for a tool to be run.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage // JSON, or what the model wrote of it if it was cut off
}

// UserText returns a message of the user.
func UserText(text string) Message { return Message{Role: User, Content: text} }

// AssistantText returns a message of the model, without calls.
func AssistantText(text string) Message { return Message{Role: Assistant, Content: text} }

// SystemText returns a system message, which is an instruction.
func SystemText(text string) Message { return Message{Role: System, Content: text} }

// ToolResult returns the result of the call with the id.
func ToolResult(id, text string) Message {
	return Message{Role: Tool, ToolCallID: id, Content: text}
}

// Text returns the text of the message: Content, or the text parts with a newline
// between them.
func (m Message) Text() string {
	if m.Parts == nil {
		return m.Content
	}
	var text []byte
	for _, p := range m.Parts {
		if p.Type == TextPart {
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = append(text, p.Text...)
		}
	}
	return string(text)
}

// clone returns a copy that shares no memory that can be changed.
func (m Message) clone() Message {
	m.Parts = slices.Clone(m.Parts)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		m.ToolCalls[i].Arguments = slices.Clone(m.ToolCalls[i].Arguments)
	}
	m.Raw = slices.Clone(m.Raw)
	return m
}

func cloneAll(msgs []Message) []Message {
	clones := make([]Message, len(msgs))
	for i, m := range msgs {
		clones[i] = m.clone()
	}
	return clones
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrInvalid)
}

// validate returns an error for a message that no adapter and no journal could keep
// as it is. What a provider would refuse is not its business: see [Check].
func (m Message) validate() error {
	switch m.Role {
	case System, User, Assistant, Tool:
	default:
		return invalid("the role is %q, allowed are system, user, assistant and tool", clip.Text(string(m.Role)))
	}
	if m.Content != "" && m.Parts != nil {
		return invalid("both Content and Parts are set: put the text into a part of its own")
	}
	switch {
	case m.Role == Tool && m.ToolCallID == "":
		return invalid("a tool message has no ToolCallID: name the call that it answers")
	case m.Role != Tool && m.ToolCallID != "":
		return invalid("a message of role %s has a ToolCallID: results have the role tool", m.Role)
	case m.Role != Tool && m.IsError:
		return invalid("a message of role %s has IsError, which is for results", m.Role)
	case m.Role != Assistant && len(m.ToolCalls) > 0:
		return invalid("a message of role %s has ToolCalls, which are for the role assistant", m.Role)
	case (m.Raw == nil) != (m.RawProvider == ""):
		return invalid("only one of Raw and RawProvider is set: set both or none")
	case m.Raw != nil && !json.Valid(m.Raw):
		return invalid("Raw is not JSON")
	}
	for i, p := range m.Parts {
		if err := p.validate(); err != nil {
			return fmt.Errorf("part %d: %w", i+1, err)
		}
	}
	return m.validateText()
}

func (p Part) validate() error {
	var want Part
	switch p.Type {
	case TextPart:
		want = Part{Type: p.Type, Text: p.Text}
	case ImagePart:
		want = Part{Type: p.Type, URL: p.URL}
		if p.URL == "" {
			return invalid("an image has no URL")
		}
	case ImageB64Part:
		want = Part{Type: p.Type, Data: p.Data, MediaType: p.MediaType}
		if p.Data == "" || p.MediaType == "" {
			return invalid("an image_b64 needs Data and MediaType")
		}
	default:
		return invalid("the type is %q, allowed are text, image and image_b64", clip.Text(p.Type))
	}
	if p != want {
		return invalid("a part of type %s has fields of another type", p.Type)
	}
	return nil
}

// validateText returns an error for bytes that JSON would change silently.
func (m Message) validateText() error {
	if !utf8.ValidString(m.Content) {
		return invalid("the content is not valid UTF-8")
	}
	if !utf8.ValidString(m.ToolCallID) || !utf8.ValidString(string(m.RawProvider)) || !utf8.Valid(m.Raw) {
		return invalid("a text is not valid UTF-8")
	}
	for _, p := range m.Parts {
		if !utf8.ValidString(p.Text) || !utf8.ValidString(p.URL) || !utf8.ValidString(p.Data) ||
			!utf8.ValidString(p.MediaType) {
			return invalid("a part is not valid UTF-8")
		}
	}
	for _, c := range m.ToolCalls {
		if !utf8.ValidString(c.ID) || !utf8.ValidString(c.Name) || !utf8.Valid(c.Arguments) {
			return invalid("a tool call is not valid UTF-8")
		}
	}
	return nil
}
