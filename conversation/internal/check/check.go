// Package check finds what a provider would refuse in the messages of a
// conversation. The messages are given to a [Checker] in order, one at a time.
//
// Each provider has a file, which follows the turns of its API, and reads its own
// form of a message. call.go checks the parts of a tool call, and turn.go pairs
// calls with results. Both are shared by the providers.
package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A Rule is one reason for which a provider refuses messages. Package conversation
// names and describes the rules.
type Rule int

const (
	_ Rule = iota
	InvalidMessage
	RawForm
	FirstMessage
	SystemPosition
	MissingResult
	MisplacedResult
	OrphanedResult
	DuplicateResult
	DuplicateID
	CallID
	CallName
	Arguments
	CallPosition
	EmptyContent
	Image
	ThinkingSignature
	OrphanedReasoning
	Rules // how many rules there are, with an unused one at 0
)

// A Problem is one broken rule.
type Problem struct {
	Index int    // of the message
	Rule  Rule   // 0: the problem was withdrawn
	Text  string // what is wrong, and how to correct it
}

// A Provider is an API whose rules are checked.
type Provider int

const (
	Anthropic Provider = iota + 1
	OpenAIChat
	OpenAIResponses
	Gemini
)

// The roles of a [Message].
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// A Message is a message of a conversation, as far as the checks read it.
type Message struct {
	Role    string // system, user, assistant or tool
	Content string
	Parts   []Part
	Calls   []Call
	CallID  string // of a tool message: the call that it answers
	IsError bool   // of a tool message
	Raw     []byte // the message in the provider's own form, which is then sent; or nil
}

// A Part is a piece of a message's content.
type Part struct {
	Kind      PartKind
	Text      string // of a Text
	MediaType string // of an ImageData
}

// A PartKind says what a [Part] is.
type PartKind int

const (
	Text      PartKind = iota
	ImageURL           // an image that the provider fetches
	ImageData          // an image in the message
)

// A Call is a tool call.
type Call struct {
	ID, Name  string
	Arguments []byte
}

// A Checker goes through the messages of one conversation.
type Checker struct {
	provider Provider
	count    int // of all messages
	problems []Problem
	follow   follower

	turn    turn                // the calls that wait for their results
	seen    map[string]struct{} // ids of calls, for providers that want them unique
	missing []stray             // calls without a result in its place
	orphans []stray             // results without a call in its place
}

// A follower checks messages by the rules of one provider.
type follower interface {
	message(i int, m *Message) // called for each message, in order
	finish()                   // called once, after the last message
}

// A stray is a call without its result, or a result without its call.
type stray struct {
	id      string
	problem int // index of the problem that reports it
}

// New returns a checker for a conversation of count messages.
func New(p Provider, count int) *Checker {
	c := &Checker{provider: p, count: count}
	switch p {
	case Anthropic:
		c.follow = &anthropicTurns{Checker: c}
	case OpenAIChat:
		c.follow = &chatList{Checker: c}
	case OpenAIResponses:
		c.follow = &responsesItems{Checker: c, reasoning: -1}
	case Gemini:
		c.follow = &geminiTurns{Checker: c}
	}
	return c
}

// Message checks the message with index i. The checker keeps nothing of m but its
// strings.
func (c *Checker) Message(i int, m *Message) { c.follow.message(i, m) }

// Invalid reports that message i is not valid by itself.
func (c *Checker) Invalid(i int, text string) { c.add(i, InvalidMessage, "%s", text) }

// Problems returns the problems by ascending Index. It is called once, after the
// last message.
func (c *Checker) Problems() []Problem {
	c.follow.finish()
	c.pairStrays()
	c.problems = slices.DeleteFunc(c.problems, func(p Problem) bool { return p.Rule == 0 })
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Index - b.Index })
	return c.problems
}

func (c *Checker) add(index int, rule Rule, format string, args ...any) {
	c.problems = append(c.problems, Problem{Index: index, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// pairStrays joins a call without a result and a result without a call if they
// belong together. They become one problem: the result is in the wrong place.
func (c *Checker) pairStrays() {
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
		result.Rule = MisplacedResult
		result.Text = fmt.Sprintf("the result of call %q does not follow its call, which is in message %d: move it "+
			"directly behind that message", clip.Text(s.id), call.Index)
		call.Rule = 0
	}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// imageType reports an image in a format that only Gemini may accept.
func (c *Checker) imageType(i int, mediaType string) {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		c.add(i, Image, "an image has the type %q: convert it to image/png, image/jpeg, image/gif or image/webp",
			clip.Text(mediaType))
	}
}

// noImages reports images in a message whose role does not allow them.
func (c *Checker) noImages(i int, m *Message) {
	for _, p := range m.Parts {
		if p.Kind != Text {
			c.imageOf(i, m.Role)
			return
		}
	}
}

func (c *Checker) imageOf(i int, role string) {
	c.add(i, Image, "a message of role %s has an image: put it into a message of the user", clip.Text(role))
}

func (c *Checker) badRaw(i int, form string) {
	c.add(i, RawForm, "Raw is not %s: keep it exactly as the provider sent it, or drop it", form)
}

// noMessages reports a conversation that has nothing but instructions.
func (c *Checker) noMessages() {
	if len(c.problems) == 0 {
		c.add(c.count-1, FirstMessage, "there are only instructions: add a message of the user")
	}
}

func (c *Checker) firstIsAssistant(i int) {
	c.add(i, FirstMessage, "the conversation begins with the assistant: begin with a message of the user")
}

func (c *Checker) lateSystem(i int) {
	c.add(i, SystemPosition, "an instruction is among the messages: move it to the instructions at the beginning, "+
		"or make it a message of the user")
}

func (c *Checker) emptyText(i int) {
	c.add(i, EmptyContent, "a text part is empty: drop the part")
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
	for _, b := range text {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}
