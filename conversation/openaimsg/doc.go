// Package openaimsg translates between the messages of openai-go/v3 and those of
// package conversation, for chat completions and for the Responses API. It also makes
// a summariser of a client.
//
//	reply, err := client.Chat.Completions.New(ctx, params)
//	message, err := openaimsg.FromChatMessage(reply.Choices[0].Message)
//	err = memory.Append(ctx, message, conversation.ToolResult(id, "42"))
//	params.Messages, err = openaimsg.ToChat(memory.Messages())
//
// With the Responses API, use [FromOutput] with response.Output, and [ToItems].
//
// # There and back
//
// A message from OpenAI is sent back as it came. Its Raw holds the bytes that came, of
// a response or of a param with [param.Override], or else the client's encoding of a
// param. Members that this package does not know are kept.
//
// Some things change on the way out. Members that only answers have are not sent, because
// the APIs refuse them: annotations of a chat message, its audio except for the id, and
// created_by of an item. Raw keeps them. And the client drops the spaces between the
// values of Raw.
//
// If you have JSON in place of the client's types, wrap it. The client's own decoder
// drops members that it does not know.
//
//	param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(text))
//
// A param that was made from Raw has no fields set. Read the [conversation.Message] in
// its place.
//
// # For other providers
//
// The other fields describe the same message: its text or refusal, images, calls and
// results. A part without a counterpart becomes a text, such as [audio] or
// [file: report.pdf]. An action of OpenAI itself (a search, code, a remote MCP call)
// becomes a text part that begins with the type of the item, such as [mcp_call]. The
// answer alone is response.OutputText().
//
// Reasoning and compaction mean nothing to other providers, so a message may have Raw
// only. Its role is [conversation.Assistant]. The role of a change of tools or
// settings is [conversation.System].
//
// The input of a custom tool is the argument "input". A call of the deprecated
// function_call has no id, and gets one from the name of its function. Any other call of
// chat completions without an id gets a new one, which is also written into Raw. The calls of the
// Responses API's own tools that the caller runs are named computer, local_shell,
// shell, apply_patch and tool_search. A request to approve an MCP call is a call too:
// its result is the text "approved", or any other text to deny it.
//
// # Compatible servers
//
// Members of an answer that OpenAI does not have, such as reasoning_content, are sent back
// in Raw: some servers need them, and some refuse them. For a server that refuses them,
// send the answers without Raw. They are then made from their fields:
//
//	for i := range msgs {
//		if msgs[i].Role == conversation.Assistant {
//			msgs[i].Raw, msgs[i].RawProvider = nil, ""
//		}
//	}
//	params.Messages, err = openaimsg.ToChat(msgs)
//
// Text, calls and their ids stay. Calls of custom tools become calls of functions. The
// messages of [conversation.Memory.Messages] are copies, so the memory keeps Raw.
// annotations are never sent.
//
// # From other providers
//
// A message without the Raw of the API is made from its fields.
//
//   - The API has no field for a failed result. Its text begins with "Error: ".
//   - Arguments that are not JSON are sent as they are. Empty arguments become {}.
//   - Images are sent where the API accepts them: in a message of the user, and with
//     the Responses API in a result. Other images follow in one message of the user,
//     after all results that stand together.
//   - Ids of more than 40 bytes (chat) or 64 (Responses) are shortened, in calls and
//     results alike, unless a message with Raw has the id too. In names of tools,
//     characters that OpenAI does not allow become _.
//   - A message that has nothing but another provider's Raw is left out.
package openaimsg
