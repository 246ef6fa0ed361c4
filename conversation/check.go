package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Problem is something for which a provider would refuse the messages.
type Problem struct {
	Index int    // of the message; -1: of none
	Rule  string // one of the names at [Check]
	Text  string // what is wrong, and the way out
}

const (
	ruleProvider  = "unknown-provider"
	ruleInvalid   = "invalid-message"
	ruleRaw       = "raw-form"
	ruleFirst     = "first-message"
	ruleSystem    = "system-position"
	ruleMissing   = "missing-result"
	ruleMisplaced = "misplaced-result"
	ruleOrphan    = "orphaned-result"
	ruleTwice     = "duplicate-result"
	ruleDuplicate = "duplicate-id"
	ruleCallID    = "call-id"
	ruleCallName  = "call-name"
	ruleArguments = "arguments"
	ruleCallTurn  = "call-position"
	ruleEmpty     = "empty-content"
	ruleImage     = "image"
	ruleSignature = "thinking-signature"
	ruleReasoning = "orphaned-reasoning"
)

// Check returns what p would refuse of the messages, when the adapter for p sends
// them, by ascending Index; nil where there is nothing, and for an empty list. An
// unknown p is one problem with Index -1. It looks at Raw where RawProvider is p,
// otherwise at the other fields; thinking of another provider is not sent, and no
// problem.
//
// What the adapter mends, by leaving out, renaming or moving, is a problem all the
// same: others do not, and it is no longer what was said.
//
// A call without its result is a problem also at the end of the list. A list that
// ends with the assistant is none, and its last message may be empty: something
// will follow. What depends on the request (whether thinking is on or answers are
// stored, which tools are declared) and on the model (images, context window,
// whether a prefill is taken) is not looked at; and that reasoning was dropped
// before what came of it cannot be seen.
//
// The rules, with what the provider would answer (A is Anthropic, C chat
// completions, R Responses, G Gemini) and where that is from:
//
//	invalid-message     all  ErrInvalid of Memory.Append: unknown role, Content and Parts, a result without id
//	raw-form            all  Raw is not in the form that Message.Raw names
//	                    C    Invalid 'messages[1].tool_calls': empty array
//	                         github.com/openai/openai-python/issues/2061
//	first-message       A    messages: first message must use the "user" role
//	                         github.com/lobehub/lobehub/issues/1601 (of some hosts of its models; itself it was until 2024-10)
//	                    G    function call turn comes immediately after a user turn
//	                         github.com/google-gemini/gemini-cli/issues/11814
//	                         (also, where there are instructions alone: at least one message is required)
//	system-position     A    messages: Unexpected role "system"
//	                         github.com/ianarawjo/ChainForge/issues/271 (the newest models take some)
//	                    G    Please use a valid role: user, model
//	                         ai.google.dev/api/caching#Content
//	missing-result      A    `tool_use` ids were found without `tool_result` blocks immediately after
//	                         github.com/anthropics/claude-code/issues/2157
//	                    A    `web_search` tool use with id … was found without a corresponding `web_search_tool_result` block
//	                         github.com/anthropics/anthropic-sdk-python/issues/961,
//	                         platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
//	                    C    An assistant message with 'tool_calls' must be followed by tool messages
//	                         github.com/agno-agi/agno/issues/3105
//	                    R    No tool output found for function call
//	                         github.com/bytedance/trae-agent/issues/245
//	                    R    The following MCP approval requests do not have an approval
//	                         developers.openai.com/api/docs/guides/tools-connectors-mcp
//	                    G    the number of function response parts is equal to the number of function call parts
//	                         github.com/google-gemini/gemini-cli/issues/4217
//	misplaced-result    all  the answers of missing-result and orphaned-result: the result is there, not in its place.
//	                    A    its place is the user turn directly behind the call, before text; and nothing may
//	                         stand behind the call in the assistant's turn but other calls
//	                         platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls,
//	                         github.com/anomalyco/opencode (rejects-malformed-assistant-tool-order, recorded)
//	                    C G  its place is directly behind the message with the call (G: in one content)
//	                    R    its place is anywhere behind the call
//	orphaned-result     A    unexpected `tool_use_id` found in `tool_result` blocks
//	                         github.com/anthropics/claude-code/issues/13460
//	                    C    messages with role 'tool' must be a response to a preceding message with 'tool_calls'
//	                         github.com/FoundationAgents/OpenManus/issues/744
//	                    R    No tool call found for function call output
//	                         github.com/vercel/ai/issues/8216
//	                    G    function response turn comes immediately after a function call turn
//	                         github.com/langchain-ai/langchain/issues/27799
//	duplicate-result    A    each tool_use must have a single result
//	                         github.com/anthropics/claude-code/issues/14110
//	                    C    Duplicate value for 'tool_call_id'
//	                         github.com/agno-agi/agno/issues/5116
//	                    R    Duplicate function_call_output
//	                         github.com/NousResearch/hermes-agent/issues/102629
//	                    G    as missing-result
//	duplicate-id        A    `tool_use` ids must be unique (in the whole list)
//	                         github.com/HKUDS/nanobot/issues/4442
//	                    C    as duplicate-result (in one message)
//	                    R    Duplicate item found with id (in the whole list)
//	                         github.com/vercel/ai/issues/7883
//	call-id             all  empty: no result could name it
//	                    A    tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'
//	                    C R  string too long. Expected a string with maximum length 64
//	                         github.com/AnswerDotAI/fastllm/issues/45 (older chat models: 40)
//	call-name           A    tool_use.name: String should have at least 1 (at most 200) characters
//	                    C R  string does not match pattern '^[a-zA-Z0-9_-]+$'; longer than 64 (C), 128 (R)
//	                         github.com/continuedev/continue/issues/11645
//	                    G    Invalid function name
//	                         github.com/google-gemini/gemini-cli/issues/2966
//	arguments           A G  tool_use.input: Input should be a valid dictionary
//	                         github.com/anthropics/anthropic-sdk-typescript/issues/648
//	                    C R  not JSON; OpenAI itself reads no old arguments, what is compatible does
//	                         github.com/vercel/ai/issues/19274
//	call-position       G    function call turn comes immediately after a user turn or after a function response turn
//	                         github.com/google-gemini/gemini-cli/issues/26486
//	empty-content       A    all messages must have non-empty content except for the optional final assistant message
//	                         github.com/anthropics/claude-code/issues/6774
//	                    A    text content blocks must be non-empty (must contain non-whitespace text)
//	                         github.com/LibreChat-AI/agents/pull/124
//	                    C    Invalid value for 'content': expected a string, got null
//	                         github.com/vercel/ai/pull/14950
//	                    G    contents.parts must not be empty; must have one initialized field
//	                         github.com/vercel/ai/issues/3775, github.com/router-for-me/CLIProxyAPI/issues/1292
//	image               A    'image' blocks are not permitted within assistant turns
//	                         github.com/SEMOSS/Semoss/issues/2323
//	                    C    Image URLs are only allowed for messages with role 'user'; those of results
//	                         are sent behind them, as a message of the user
//	                         github.com/OpenHands/OpenHands/issues/7700
//	                    R    an assistant's message takes output_text and refusal alone
//	                    A    all content must be type `text` if `is_error` is true
//	                    A C R  a media type other than image/png, image/jpeg, image/gif and image/webp
//	                    A C G  an image in an instruction
//	thinking-signature  A    Invalid `signature` in `thinking` block; thinking.signature: Field required
//	                         github.com/anthropics/claude-code/issues/10627
//	                    G    Function call is missing a thought_signature: in the current turn, where the model
//	                         has signed others
//	                         ai.google.dev/gemini-api/docs/thought-signatures
//	orphaned-reasoning  A    The final block in an assistant message cannot be `thinking`
//	                         platform.claude.com/docs/en/build-with-claude/extended-thinking
//	                    R    Item of type 'reasoning' was provided without its required following item
//	                         github.com/vercel/ai/issues/7099
func Check(msgs []Message, p Provider) []Problem {
	if len(msgs) == 0 {
		return nil
	}
	c := &checker{provider: p, msgs: msgs}
	switch p {
	case Anthropic:
		c.anthropic()
	case OpenAIChat:
		c.chat()
	case OpenAIResponses:
		c.responses()
	case Gemini:
		c.gemini()
	default:
		c.add(-1, ruleProvider, "the provider is %q: give one of anthropic, openai-chat, openai-responses and gemini", clip(string(p)))
	}
	return c.finish()
}

// A checker goes through the messages once, in order.
type checker struct {
	provider Provider
	msgs     []Message
	problems []Problem

	turn    turn                // the calls that wait for their results
	seen    map[string]struct{} // the ids of calls, where they are unique in the whole list
	missing []stray             // calls whose result was not in its place
	orphans []stray             // results whose call was not in its place
}

// A stray is half of a pair, and the problem that says so.
type stray struct {
	id      string
	problem int
}

func (c *checker) add(index int, rule, format string, args ...any) {
	c.problems = append(c.problems, Problem{Index: index, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// usable reports what Memory would refuse of the message, and whether the rest can
// be looked at. Raw that is not sent is not read.
func (c *checker) usable(i int) bool {
	m := c.msgs[i]
	if m.Raw != nil && m.RawProvider != "" && m.RawProvider != c.provider {
		m.Raw, m.RawProvider = nil, ""
	}
	err := m.validate()
	if err == nil {
		return true
	}
	fault := strings.TrimSuffix(err.Error(), ": "+ErrInvalid.Error())
	c.add(i, ruleInvalid, "%s: mend the message, Memory refuses it too", fault)
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

// raw reports whether the message is sent as its Raw.
func (c *checker) raw(m *Message) bool { return m.Raw != nil && m.RawProvider == c.provider }

func (c *checker) finish() []Problem {
	c.pairStrays()
	c.problems = slices.DeleteFunc(c.problems, func(p Problem) bool { return p.Rule == "" })
	if len(c.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Index - b.Index })
	return c.problems
}

// pairStrays makes one problem of a call without result and a result without call
// that belong together: the result is there, in another place.
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
		result.Rule = ruleMisplaced
		result.Text = fmt.Sprintf("the result of call %q does not stand behind its call, which is in message %d: move it directly behind that message", clip(s.id), call.Index)
		call.Rule = ""
	}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// imageType reports an image in a format that nobody but Gemini might take.
func (c *checker) imageType(i int, mediaType string) {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		c.add(i, ruleImage, "an image of type %q: convert it to image/png, image/jpeg, image/gif or image/webp", clip(mediaType))
	}
}

// noImages reports images in a message of a role that cannot have them.
func (c *checker) noImages(i int, m *Message) {
	for _, p := range m.Parts {
		if p.Type != TextPart {
			c.add(i, ruleImage, "an image in a message of role %s: put it into a message of the user", m.Role)
			return
		}
	}
}

// A loose is a string of somebody's JSON; anything else is an empty one.
type loose string

func (s *loose) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return nil
	}
	return json.Unmarshal(text, (*string)(s))
}

func (c *checker) badRaw(i int, form string) {
	c.add(i, ruleRaw, "Raw is not %s: keep it as the provider had it, or drop it", form)
}

// firstByte returns the byte that a JSON text begins with; 0 where there is none.
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
