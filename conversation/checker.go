package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A checker goes through the messages of one conversation.
type checker struct {
	provider Provider
	count    int // of all messages
	problems []Problem
	follow   follower

	turn    turn                // the calls that wait for their results
	seen    map[string]struct{} // ids of calls, for providers that want them unique
	missing []stray             // calls without a result in its place
	orphans []stray             // results without a call in its place
}

// A follower checks messages by the rules of one provider: in order, each by its fields or
// by Raw. finish is called after the last one.
type follower interface {
	fields(i int, m *Message)
	raw(i int, m *Message)
	finish()
}

// A stray is a call without its result, or a result without its call.
type stray struct {
	id      string
	problem int // index of the problem that reports it
}

// newChecker returns a checker for a conversation of count messages, or nil if the provider
// is unknown.
func newChecker(p Provider, count int) *checker {
	c := &checker{provider: p, count: count}
	switch p {
	case Anthropic:
		c.follow = &anthropicTurns{checker: c}
	case OpenAIChat:
		c.follow = &chatList{checker: c}
	case OpenAIResponses:
		c.follow = &responsesItems{checker: c, reasoning: -1}
	case Gemini:
		c.follow = &geminiTurns{checker: c}
	default:
		return nil
	}
	return c
}

// message checks the message with index i, in the form that is sent. The Raw of another
// provider is not sent, and not validated.
func (c *checker) message(i int, m Message) {
	if m.RawProvider != "" && m.RawProvider != c.provider {
		m.Raw, m.RawProvider = nil, ""
	}
	if err := m.validate(); err != nil {
		fault := strings.TrimSuffix(err.Error(), ": "+ErrInvalid.Error())
		c.add(i, RuleInvalidMessage, "%s: correct the message; Memory refuses it too", fault)
		if !m.checkable() {
			return
		}
	}
	if m.RawProvider == c.provider && m.Raw != nil {
		c.follow.raw(i, &m)
	} else {
		c.follow.fields(i, &m)
	}
}

// end returns the problems by ascending Index, after the last message.
func (c *checker) end() []Problem {
	c.follow.finish()
	c.pairStrays()
	c.problems = slices.DeleteFunc(c.problems, func(p Problem) bool { return p.Rule == "" })
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Index - b.Index })
	return slices.Clip(c.problems)
}

func (c *checker) add(index int, rule string, format string, args ...any) {
	c.problems = append(c.problems, Problem{Index: index, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// pairStrays joins a call without a result and a result without a call if they
// belong together. They become one problem: the result is in the wrong place.
func (c *checker) pairStrays() {
	if len(c.missing) == 0 || len(c.orphans) == 0 {
		return
	}
	calls := make(map[string][]int, len(c.missing))
	for _, s := range c.missing {
		calls[s.id] = append(calls[s.id], s.problem)
	}
	for _, s := range c.orphans {
		waiting := calls[s.id]
		if len(waiting) == 0 {
			continue
		}
		call, result := &c.problems[waiting[0]], &c.problems[s.problem]
		calls[s.id] = waiting[1:]
		result.Rule = RuleMisplacedResult
		result.Text = fmt.Sprintf("the result of call %q does not follow its call, which is in message %d: move it "+
			"directly behind that message", clip.Text(s.id), call.Index)
		call.Rule = ""
	}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// imageType reports an image in a format that only Gemini may accept.
func (c *checker) imageType(i int, mediaType string) {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		c.add(i, RuleImage, "an image has the type %q: convert it to image/png, image/jpeg, image/gif or image/webp",
			clip.Text(mediaType))
	}
}

// noImages reports images in a message whose role does not allow them.
func (c *checker) noImages(i int, m *Message) {
	for _, p := range m.Parts {
		if p.Type != TextPart {
			c.imageOf(i, m.Role)
			return
		}
	}
}

func (c *checker) imageOf(i int, role Role) {
	c.add(i, RuleImage, "a message of role %s has an image: put it into a message of the user", clip.Text(string(role)))
}

func (c *checker) badRaw(i int, form string) {
	c.add(i, RuleRawForm, "Raw is not %s: keep it exactly as the provider sent it, or drop it", form)
}

// noMessages reports a conversation that has nothing but instructions.
func (c *checker) noMessages() {
	if len(c.problems) == 0 {
		c.add(c.count-1, RuleFirstMessage, "there are only instructions: add a message of the user")
	}
}

func (c *checker) firstIsAssistant(i int) {
	c.add(i, RuleFirstMessage, "the conversation begins with the assistant: begin with a message of the user")
}

func (c *checker) lateSystem(i int) {
	c.add(i, RuleSystemPosition, "an instruction is among the messages: move it to the instructions at the beginning, "+
		"or make it a message of the user")
}

func (c *checker) emptyText(i int) {
	c.add(i, RuleEmptyContent, "a text part is empty: drop the part")
}

// A loose is a JSON string. Any other JSON value is decoded as an empty string.
type loose string

func (s *loose) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return nil
	}
	return json.Unmarshal(text, (*string)(s))
}

// firstByte returns the first byte of a JSON text after its spaces, or 0.
func firstByte(text []byte) byte {
	if text = bytes.TrimLeft(text, " \t\r\n"); len(text) > 0 {
		return text[0]
	}
	return 0
}
