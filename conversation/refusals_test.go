package conversation_test

import (
	"slices"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// A refusal is what a provider says to a conversation that breaks a rule, and where that is
// recorded: a page of its documentation, a public thread that quotes it (owner/repository
// #number), or a public measurement. says is "" if nobody has recorded an answer.
type refusal struct{ says, source string }

const (
	claudeDocs = "platform.claude.com/docs/en/"
	openaiDocs = "platform.openai.com/docs/api-reference"
	geminiDocs = "ai.google.dev/gemini-api/docs/"
	measured   = "measured in public, 2026-08 and 2026-09"
)

// refusals has the rules that providers have. The conversations are those of fieldCases and
// rawCases. The rules raw-form and invalid-message are Check's own: no request can be made
// of such a message.
var refusals = map[Provider]map[string]refusal{
	Anthropic: {
		RuleFirstMessage:      {`messages: first message must use the "user" role`, "langbot-app/LangBot#867; dropped in 2024, and kept by some hosts"},
		RuleSystemPosition:    {"messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result", claudeDocs + "build-with-claude/mid-conversation-system-messages#limitations; maximhq/bifrost#3945"},
		RuleMissingResult:     {"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", "anthropics/claude-code#3512; AnswerDotAI/lisette#108 for tools of the provider"},
		RuleMisplacedResult:   {"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.", claudeDocs + "agents-and-tools/tool-use/handle-tool-calls"},
		RuleOrphanedResult:    {"messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", "anthropics/claude-code#13460, #64383"},
		RuleDuplicateResult:   {"messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a", claudeDocs + "agents-and-tools/tool-use/handle-tool-calls"},
		RuleDuplicateID:       {"messages.3.content.0: `tool_use` ids must be unique", "anthropics/claude-code#20901"},
		RuleCallID:            {"messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "HKUDS/nanobot#4356"},
		RuleCallName:          {"messages.1.content.0.tool_use.name: String should have at most 200 characters", claudeDocs + "api/messages/create"},
		RuleArguments:         {"messages.1.content.0.tool_use.input: Input should be a valid dictionary", "anthropics/claude-code#6696"},
		RuleEmptyContent:      {"messages.0: all messages must have non-empty content except for the optional final assistant message", "anthropics/claude-code#6774, #59812; LibreChat-AI/agents#124 for whitespace"},
		RuleImage:             {"messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", claudeDocs + "build-with-claude/vision"},
		RuleThinkingSignature: {"messages.1.content.0: Invalid `signature` in `thinking` block", "anthropics/anthropic-sdk-python#1598"},
		RuleOrphanedReasoning: {"messages.1: The final block in an assistant message cannot be `thinking`.", measured},
	},
	OpenAIChat: {
		RuleMissingResult:   {"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a", measured + "; quoted in hundreds of threads"},
		RuleMisplacedResult: {"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", measured},
		RuleOrphanedResult:  {"Invalid parameter: 'tool_call_id' of 'a' not found in 'tool_calls' of previous message.", measured},
		RuleDuplicateResult: {"Invalid parameter: Duplicate value for 'tool_call_id' of 'a' in message[3]", "agno-agi/agno#5116"},
		RuleDuplicateID:     {"Invalid parameter: Duplicate value for 'tool_call_id' of 'a' in message[1]", "agno-agi/agno#5116"},
		RuleCallID:          {"Invalid 'messages[1].tool_calls[0].id': string too long.", measured},
		RuleCallName:        {"Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", openaiDocs},
		RuleArguments:       {"", "the model reads what it wrote, and no host says that it must be JSON"},
		RuleEmptyContent:    {"Invalid value for 'content': expected a string, got null.", measured},
		RuleImage:           {"Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.", "strands-agents/sdk-python#320"},
	},
	OpenAIResponses: {
		RuleMissingResult:     {"No tool output found for function call a.", "github/copilot-cli#4572"},
		RuleMisplacedResult:   {"No tool call found for function call output with call_id a.", "openai/codex"},
		RuleOrphanedResult:    {"No tool call found for function call output with call_id a.", "openai/codex"},
		RuleDuplicateResult:   {"No tool call found for function call output with call_id a.", "openai/codex"},
		RuleDuplicateID:       {"Duplicate item found with id fc_1. Remove duplicate items from your input and try again.", "earendil-works/pi#5148"},
		RuleCallID:            {"Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.", measured},
		RuleCallName:          {"Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", openaiDocs},
		RuleArguments:         {"", "as for OpenAIChat"},
		RuleImage:             {"Invalid value: 'input_image'. Supported values are: 'output_text' and 'refusal'.", "langchain-ai, quoted in several threads"},
		RuleOrphanedReasoning: {"Item 'rs_1' of type 'reasoning' was provided without its required following item.", "vercel/ai#11036; mastra-ai/mastra#8738 for an item without its reasoning"},
	},
	Gemini: {
		RuleFirstMessage:      {"Please ensure that multiturn requests ends with a user role or a function response.", "quoted in many threads; models before 1.5"},
		RuleSystemPosition:    {"Please use a valid role: user, model.", geminiDocs + "text-generation"},
		RuleMissingResult:     {"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", "run-llama/llama_index#18527"},
		RuleMisplacedResult:   {"Please ensure that function response turn comes immediately after a function call turn.", "quoted in many threads"},
		RuleOrphanedResult:    {"Please ensure that function response turn comes immediately after a function call turn.", "quoted in many threads"},
		RuleDuplicateResult:   {"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", "run-llama/llama_index#18527"},
		RuleCallPosition:      {"Please ensure that function call turn comes immediately after a user turn or after a function response turn.", "quoted in many threads"},
		RuleCallID:            {"", "a request without ids is accepted; Check wants them to tell calls apart"},
		RuleCallName:          {"* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.", "quoted in many threads"},
		RuleArguments:         {"Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct)", "quoted in many threads"},
		RuleEmptyContent:      {"* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.", "quoted in many threads"},
		RuleImage:             {"", geminiDocs + "text-generation: instructions are text"},
		RuleThinkingSignature: {"Function call is missing a thought_signature in functionCall parts.", geminiDocs + "thought-signatures"},
	},
}

// Every rule that a case breaks is one that the provider has, and every rule has a case.
func TestRulesAreTheProviders(t *testing.T) {
	broken := map[Provider]map[string]bool{Anthropic: {}, OpenAIChat: {}, OpenAIResponses: {}, Gemini: {}}
	note := func(p Provider, rule string) {
		if !slices.Contains([]string{RuleRawForm, RuleInvalidMessage}, rule) {
			broken[p][rule] = true
		}
	}
	for _, c := range fieldCases {
		for _, p := range c.for_ {
			note(p, c.rule)
		}
	}
	for p, cases := range rawCases {
		for _, c := range cases {
			note(p, c.rule)
		}
	}
	for p, rules := range broken {
		for rule := range rules {
			if refusals[p][rule].source == "" {
				t.Errorf("%s: no refusal is recorded for %s", p, rule)
			}
		}
		for rule := range refusals[p] {
			if !rules[rule] {
				t.Errorf("%s: no conversation breaks %s", p, rule)
			}
		}
	}
}
