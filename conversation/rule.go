package conversation

// The rules of [Check]. The comment of a rule quotes what each provider answers if
// it is broken, with the place that the answer is from.
const (
	// RuleUnknownProvider: Check does not know the provider. The Index is -1.
	RuleUnknownProvider = "unknown-provider"

	// RuleInvalidMessage: the message is not valid by itself. [Memory.Append]
	// returns ErrInvalid for it. All providers.
	RuleInvalidMessage = "invalid-message"

	// RuleRawForm: Raw does not have the form that [Message] names. All providers.
	//
	// Anthropic: "A maximum of 4 blocks with cache_control may be provided. Found 5."
	// (platform.claude.com/docs/en/build-with-claude/prompt-caching). Check counts the
	// messages, with the system prompt if it is among them. Marks elsewhere in the
	// request count too.
	//
	// OpenAIChat: "Invalid 'messages[1].tool_calls': empty array"
	// (github.com/openai/openai-python/issues/2061).
	RuleRawForm = "raw-form"

	// RuleFirstMessage: the first message that is not an instruction must be the
	// user's, and there must be one: "at least one message is required".
	//
	// Anthropic: "messages: first message must use the "user" role"
	// (github.com/lobehub/lobehub/issues/1601; Anthropic itself until 2024-10, some
	// hosts of its models still).
	//
	// Gemini: "function call turn comes immediately after a user turn"
	// (github.com/google-gemini/gemini-cli/issues/11814).
	RuleFirstMessage = "first-message"

	// RuleSystemPosition: an instruction must not follow other messages.
	//
	// Anthropic: "messages: Unexpected role "system""
	// (github.com/ianarawjo/ChainForge/issues/271; the newest models accept some).
	//
	// Gemini: "Please use a valid role: user, model"
	// (ai.google.dev/api/caching#Content).
	RuleSystemPosition = "system-position"

	// RuleMissingResult: a call has no result.
	//
	// Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately
	// after" (github.com/anthropics/claude-code/issues/2157);
	// "`web_search` tool use with id … was found without a corresponding
	// `web_search_tool_result` block"
	// (github.com/anthropics/anthropic-sdk-python/issues/961,
	// platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools).
	//
	// OpenAIChat: "An assistant message with 'tool_calls' must be followed by tool
	// messages" (github.com/agno-agi/agno/issues/3105).
	//
	// OpenAIResponses: "No tool output found for function call"
	// (github.com/bytedance/trae-agent/issues/245);
	// "The following MCP approval requests do not have an approval"
	// (developers.openai.com/api/docs/guides/tools-connectors-mcp).
	//
	// Gemini: "the number of function response parts is equal to the number of
	// function call parts" (github.com/google-gemini/gemini-cli/issues/4217).
	RuleMissingResult = "missing-result"

	// RuleMisplacedResult: a call has a result, but in the wrong place. The answers
	// are those of RuleMissingResult and RuleOrphanedResult.
	//
	// Anthropic: results stand in the user turn directly after the call, before any
	// text. After a call, the turn of the assistant may have other calls only
	// (platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls;
	// github.com/anomalyco/opencode, recorded as
	// rejects-malformed-assistant-tool-order).
	//
	// OpenAIChat, Gemini: results stand directly after the message with the calls.
	// For Gemini they are one content.
	//
	// OpenAIResponses: a result stands anywhere after its call.
	RuleMisplacedResult = "misplaced-result"

	// RuleOrphanedResult: a result has no call.
	//
	// Anthropic: "unexpected `tool_use_id` found in `tool_result` blocks"
	// (github.com/anthropics/claude-code/issues/13460).
	//
	// OpenAIChat: "messages with role 'tool' must be a response to a preceding
	// message with 'tool_calls'" (github.com/FoundationAgents/OpenManus/issues/744).
	//
	// OpenAIResponses: "No tool call found for function call output"
	// (github.com/vercel/ai/issues/8216).
	//
	// Gemini: "function response turn comes immediately after a function call turn"
	// (github.com/langchain-ai/langchain/issues/27799).
	RuleOrphanedResult = "orphaned-result"

	// RuleDuplicateResult: a call has two results.
	//
	// Anthropic: "each tool_use must have a single result"
	// (github.com/anthropics/claude-code/issues/14110).
	//
	// OpenAIChat: "Duplicate value for 'tool_call_id'"
	// (github.com/agno-agi/agno/issues/5116).
	//
	// OpenAIResponses: "Duplicate function_call_output"
	// (github.com/NousResearch/hermes-agent/issues/102629).
	//
	// Gemini: as for RuleMissingResult.
	RuleDuplicateResult = "duplicate-result"

	// RuleDuplicateID: two calls have one id.
	//
	// Anthropic: "`tool_use` ids must be unique" in the whole conversation
	// (github.com/HKUDS/nanobot/issues/4442).
	//
	// OpenAIChat: as for RuleDuplicateResult, within one message.
	//
	// OpenAIResponses: "Duplicate item found with id" in the whole conversation
	// (github.com/vercel/ai/issues/7883).
	RuleDuplicateID = "duplicate-id"

	// RuleCallID: the id of a call is empty, too long, or has characters that are
	// not allowed. No provider accepts an empty id, because no result could name it.
	//
	// Anthropic: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'".
	//
	// OpenAIChat, OpenAIResponses: "string too long. Expected a string with maximum
	// length 64" (github.com/AnswerDotAI/fastllm/issues/45; 40 for older chat
	// models).
	RuleCallID = "call-id"

	// RuleCallName: the name of a tool is empty, too long, or has characters that
	// are not allowed.
	//
	// Anthropic: "tool_use.name: String should have at least 1 character", and at
	// most 200.
	//
	// OpenAIChat, OpenAIResponses: "string does not match pattern
	// '^[a-zA-Z0-9_-]+$'"; at most 64 bytes for OpenAIChat, 128 for OpenAIResponses
	// (github.com/continuedev/continue/issues/11645).
	//
	// Gemini: "Invalid function name"
	// (github.com/google-gemini/gemini-cli/issues/2966).
	RuleCallName = "call-name"

	// RuleArguments: the arguments of a call are not what the provider reads.
	//
	// Anthropic, Gemini: they must be a JSON object.
	// "tool_use.input: Input should be a valid dictionary"
	// (github.com/anthropics/anthropic-sdk-typescript/issues/648).
	//
	// OpenAIChat, OpenAIResponses: they must be JSON. OpenAI itself does not read
	// the arguments of earlier calls, but compatible servers do
	// (github.com/vercel/ai/issues/19274).
	RuleArguments = "arguments"

	// RuleCallPosition: a message with calls is in the wrong place.
	//
	// Gemini: "function call turn comes immediately after a user turn or after a
	// function response turn" (github.com/google-gemini/gemini-cli/issues/26486).
	RuleCallPosition = "call-position"

	// RuleEmptyContent: a message or a part of it is empty.
	//
	// Anthropic: "all messages must have non-empty content except for the optional
	// final assistant message" (github.com/anthropics/claude-code/issues/6774);
	// "text content blocks must be non-empty", or "must contain non-whitespace text"
	// (github.com/LibreChat-AI/agents/pull/124).
	//
	// OpenAIChat: "Invalid value for 'content': expected a string, got null"
	// (github.com/vercel/ai/pull/14950).
	//
	// Gemini: "contents.parts must not be empty"
	// (github.com/vercel/ai/issues/3775); "must have one initialized field"
	// (github.com/router-for-me/CLIProxyAPI/issues/1292).
	RuleEmptyContent = "empty-content"

	// RuleImage: an image is where none may be, or has a type that is not accepted.
	//
	// Anthropic: "'image' blocks are not permitted within assistant turns"
	// (github.com/SEMOSS/Semoss/issues/2323); "all content must be type `text` if
	// `is_error` is true".
	//
	// OpenAIChat: "Image URLs are only allowed for messages with role 'user'". The
	// adapter sends the images of results after them, as a message of the user
	// (github.com/OpenHands/OpenHands/issues/7700).
	//
	// OpenAIResponses: a message of the assistant has output_text and refusal only.
	//
	// Anthropic, OpenAIChat, Gemini: an instruction must not have an image.
	//
	// Anthropic, OpenAIChat, OpenAIResponses: the type must be image/png, image/jpeg,
	// image/gif or image/webp.
	RuleImage = "image"

	// RuleThinkingSignature: reasoning has lost its signature.
	//
	// Anthropic: "Invalid `signature` in `thinking` block", or "thinking.signature:
	// Field required" (github.com/anthropics/claude-code/issues/10627).
	//
	// Gemini: "Function call is missing a thought_signature". Only the current turn
	// is checked, and only if the model has signed other calls
	// (ai.google.dev/gemini-api/docs/thought-signatures).
	RuleThinkingSignature = "thinking-signature"

	// RuleOrphanedReasoning: reasoning is not followed by what it led to.
	//
	// Anthropic: "The final block in an assistant message cannot be `thinking`"
	// (platform.claude.com/docs/en/build-with-claude/extended-thinking).
	//
	// OpenAIResponses: "Item of type 'reasoning' was provided without its required
	// following item" (github.com/vercel/ai/issues/7099).
	RuleOrphanedReasoning = "orphaned-reasoning"
)
