package openaimsg

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// The lengths that the APIs accept.
const (
	chatIDBytes      = 40
	responsesIDBytes = 64
	toolNameBytes    = 64
)

// unnamedID returns the id for a call of the deprecated function_call, which has none. Its
// result names the function.
func unnamedID(name string) string { return "function_" + name }

// failed returns the text of a failed result.
func failed(text string) string {
	if text == "" {
		return "Error"
	}
	return "Error: " + text
}

func resultText(m conversation.Message) string {
	if m.IsError {
		return failed(m.Text())
	}
	return m.Text()
}

// callArguments returns the arguments as a string, which both APIs need.
func callArguments(c conversation.ToolCall) string {
	if len(c.Arguments) == 0 {
		return "{}"
	}
	return string(c.Arguments)
}

// toolName returns a name that OpenAI accepts.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "tool"
	}
	return name[:min(len(name), toolNameBytes)]
}

// callIDs returns the ids that calls and results have on the way out.
type callIDs struct {
	most int             // bytes
	raw  map[string]bool // ids in messages that are sent as they came; they are not changed
}

func newCallIDs(msgs []conversation.Message, to conversation.Provider, most int) callIDs {
	ids := callIDs{most, map[string]bool{}}
	for _, m := range msgs {
		if m.RawProvider != to {
			continue
		}
		if m.ToolCallID != "" {
			ids.raw[m.ToolCallID] = true
		}
		for _, c := range m.ToolCalls {
			ids.raw[c.ID] = true
		}
	}
	return ids
}

// id shortens an id that is too long. Equal ids stay equal, and different ids stay
// different.
func (c callIDs) id(id string) string {
	if len(id) <= c.most || c.raw[id] {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + base64.RawURLEncoding.EncodeToString(sum[:24])
}

// says reports whether a message has anything in its fields. If not, and it came from
// another provider, it is left out.
func says(m conversation.Message) bool {
	return m.Raw == nil || m.Role == conversation.Tool || m.Content != "" || len(m.Parts) > 0 || len(m.ToolCalls) > 0
}

// imagesFrom returns a text that says where the images after it belong.
func imagesFrom(m conversation.Message) string {
	switch m.Role {
	case conversation.Tool:
		return "Image from the result of the call " + m.ToolCallID + ":"
	case conversation.System:
		return "Image that belongs to the instructions:"
	default:
		return "Image from the assistant:"
	}
}
