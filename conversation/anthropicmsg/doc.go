// Package anthropicmsg translates between the messages of anthropic-sdk-go and
// those of package conversation, and makes a summariser of a client.
//
// [From] and [FromResponse] keep what the provider had in Message.Raw, to the
// byte, and describe it in the other fields for whoever else reads it. [To] sends
// Raw again and nothing else: signatures of thinking, cache_control, citations,
// blocks and fields that the SDK does not know are what they were. A message
// without Raw, or with that of another provider, is made from its fields.
//
//	answer, err := client.Messages.New(ctx, params)
//	message, err := anthropicmsg.FromResponse(answer)
//	err = memory.Append(ctx, message)
//	params.System, params.Messages, err = anthropicmsg.To(memory.Messages())
//
// # Raw
//
// An assistant message is one Message, Raw its object. A user message with tool
// results becomes a Message of role Tool for each result and one of role User for
// what stands between them: the first has as Raw the message object with its
// block, those after it a JSON array of the blocks that continue that message.
// [To] puts them together again. A continuation whose message is gone, because a
// summary stands for it, begins a user message of its own.
//
// A summary changes what stands before the messages that are kept. The newest
// models refuse their thinking then: see [DropStaleThinking].
//
// A text of the system prompt is a Message of role System, its Raw an array; a
// message of role system inside the conversation has an object.
package anthropicmsg
