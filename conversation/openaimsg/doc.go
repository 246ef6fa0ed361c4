// Package openaimsg translates between the messages of openai-go/v3 and those of
// package conversation, for chat completions and for the Responses API, and makes
// a summariser of a client.
//
//	reply, err := client.Chat.Completions.New(ctx, params)
//	message, err := openaimsg.FromChatMessage(reply.Choices[0].Message)
//	err = memory.Append(ctx, message, conversation.ToolResult(id, "42"))
//	params.Messages, err = openaimsg.ToChat(memory.Messages())
//
// With the Responses API it is [FromOutput] of response.Output, and [ToItems].
//
// # There and back
//
// What came from OpenAI goes back as it came: Raw holds it to the byte where it
// came as bytes (a response, or a param with [param.Override]), else as the client
// encodes it. Both ways keep what this package does not know. One thing is changed
// on the way out: the audio of a chat message goes by its id alone, for the API
// takes no more; Raw keeps all of it. A request drops the spaces between the
// values of Raw, which is the client's doing.
//
// Whoever has JSON, and not the client's types, wraps it, for the client's own
// decoder drops what it does not know:
//
//	param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(text))
//
// What goes out of Raw is such a param too: its fields are unset, read the
// [conversation.Message] instead.
//
// # For other providers
//
// The other fields say the same: the text, a refusal too, images, calls, results.
// A text stands where a part has no counterpart: [audio], [file: report.pdf]. What
// OpenAI ran by itself (searches, code, remote MCP calls) is a text part of its
// own, which begins with the item's type: [mcp_call]. The answer alone is
// response.OutputText().
//
// Reasoning and compaction say nothing to others, so a message may have nothing
// but Raw. Its role is [conversation.Assistant], and that of a change to tools or
// settings [conversation.System].
//
// A custom tool's input is the argument "input". A call of the deprecated
// function_call has no id: it is named after its function. The calls of the
// Responses API's own tools that the caller runs are named computer, local_shell,
// shell, apply_patch and tool_search; a request for approval of an MCP call is a
// call too, and its result the text "approved", or anything else to deny it.
//
// # From other providers
//
// Messages without Raw of the API that is written to go by their fields.
//
//   - A failed result has no field: its text begins with "Error: ".
//   - Arguments that are not JSON stay as they are, none become {}.
//   - Images go where the API takes them: in a user's message, and with the Responses
//     API in a result. Others follow in one user message, after all the results
//     that stand together.
//   - Ids over 40 bytes (chat) or 64 (Responses) are shortened, calls and results
//     alike, where all of them go by their fields; names of tools get _ for what
//     OpenAI does not allow.
//   - A message that says nothing but in another provider's Raw is left out.
package openaimsg
