// Package anthropicmsg translates between the messages of anthropic-sdk-go/v2 and
// those of package conversation, and makes a summariser of a client.
//
// [From] and [FromResponse] keep the provider's message in Message.Raw, byte for byte,
// and describe it in the other fields for other readers. [To] sends Raw and nothing
// else. So signatures of thinking, cache_control, citations, and blocks and fields
// that the SDK does not know come back unchanged. A message without Raw, or with the
// Raw of another provider, is made from its fields.
//
//	answer, err := client.Messages.New(ctx, params)
//	message, err := anthropicmsg.FromResponse(answer)
//	err = memory.Append(ctx, message)
//	params.System, params.Messages, err = anthropicmsg.To(memory.Messages())
//
// # Raw
//
// An assistant message is one Message. Its Raw is the message object.
//
// A user message with tool results becomes several: a Message of role Tool for each
// result, and one of role User for the blocks between them. The Raw of the first is
// the message object with its block. The Raw of the others is a JSON array of the
// blocks that continue that message. [To] puts them together again. If a summary
// replaced the first, the others begin a user message of their own.
//
// A text of the system prompt is a Message of role System, and its Raw is an array. A
// message of role system inside of the conversation has an object. [To] returns it as
// an OfSystem.
//
// # Beta types
//
// The SDK's tool runner and its other beta features have types of their own, such as
// BetaMessage and BetaMessageParam. Their JSON is that of the types here. The example
// "Beta" goes over it, in both directions. Beta blocks that the other types do not know
// are kept.
//
// # Thinking
//
// A summary changes what stands before the messages that are kept. The newest models
// then refuse the thinking in them: see [DropStaleThinking].
package anthropicmsg
