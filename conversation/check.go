package conversation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/check"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A Problem is a reason for which a provider would refuse the messages.
type Problem struct {
	Index int    // of the message; -1: of none
	Rule  string // the rule that is broken, such as [RuleMissingResult]
	Text  string // what is wrong, and how to correct it
}

// Check returns what p would refuse in the messages if the adapter for p sent
// them. The problems come by ascending Index. Check returns nil if there are none,
// and for an empty list. An unknown p gives one problem, with the Index -1.
//
// Check reads the Raw of a message if RawProvider is p, and the other fields
// otherwise. Reasoning of another provider is not sent, so it is not a problem.
//
// The adapter corrects some problems by leaving out, renaming or moving something.
// Check reports them too: the model would not read what was said, and other programs
// do not correct them.
//
// A call without a result is a problem even at the end of the list. A list may end
// with a message of the assistant, which may be empty, because something will
// follow.
//
// Check does not know the request and the model. It does not check whether thinking
// is on, whether answers are stored, which tools are declared, or what the model
// accepts: images, the size of the context, or an answer that is begun for it. It
// cannot see that reasoning was dropped before its answer.
func Check(msgs []Message, p Provider) []Problem {
	if len(msgs) == 0 {
		return nil
	}
	var with check.Provider
	switch p {
	case Anthropic:
		with = check.Anthropic
	case OpenAIChat:
		with = check.OpenAIChat
	case OpenAIResponses:
		with = check.OpenAIResponses
	case Gemini:
		with = check.Gemini
	default:
		text := fmt.Sprintf("the provider is %q: use anthropic, openai-chat, openai-responses or gemini",
			clip.Text(string(p)))
		return []Problem{{Index: -1, Rule: RuleUnknownProvider, Text: text}}
	}
	c := check.New(with, len(msgs))
	var buffer check.Message
	for i := range msgs {
		checkMessage(c, p, i, msgs[i], &buffer)
	}
	var problems []Problem
	for _, f := range c.Problems() {
		problems = append(problems, Problem{Index: f.Index, Rule: ruleNames[f.Rule], Text: f.Text})
	}
	return problems
}

// checkMessage gives message i to c, in the form that is sent to p. A Raw of
// another provider is not sent, and not validated.
func checkMessage(c *check.Checker, p Provider, i int, m Message, buffer *check.Message) {
	if m.Raw != nil && m.RawProvider != "" && m.RawProvider != p {
		m.Raw, m.RawProvider = nil, ""
	}
	if err := m.validate(); err != nil {
		fault := strings.TrimSuffix(err.Error(), ": "+ErrInvalid.Error())
		c.Invalid(i, fault+": correct the message; Memory refuses it too")
		if !m.checkable() {
			return
		}
	}
	m.toCheck(buffer)
	if m.RawProvider != p {
		buffer.Raw = nil
	}
	c.Message(i, buffer)
}

// checkable reports whether a message that is not valid has enough to be checked
// together with the others.
func (m *Message) checkable() bool {
	switch m.Role {
	case System, User, Assistant:
	case Tool:
		if m.ToolCallID == "" {
			return false
		}
	default:
		return false
	}
	return m.Raw == nil || json.Valid(m.Raw)
}

// toCheck writes the message into c, whose slices it uses again.
func (m *Message) toCheck(c *check.Message) {
	*c = check.Message{
		Role: string(m.Role), Content: m.Content, CallID: m.ToolCallID, IsError: m.IsError, Raw: m.Raw,
		Parts: c.Parts[:0], Calls: c.Calls[:0],
	}
	for _, p := range m.Parts {
		part := check.Part{Kind: check.ImageURL, Text: p.Text, MediaType: p.MediaType}
		switch p.Type {
		case TextPart:
			part.Kind = check.Text
		case ImageB64Part:
			part.Kind = check.ImageData
		}
		c.Parts = append(c.Parts, part)
	}
	for _, call := range m.ToolCalls {
		c.Calls = append(c.Calls, check.Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
	}
}
