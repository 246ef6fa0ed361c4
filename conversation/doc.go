// Package conversation is the memory of a conversation with a model: the history
// as it is sent, bounded by a rolling summary, and never cut where a provider
// would refuse it.
//
// [History] and [Notes] are plain lists. [Memory] is the whole: what is appended
// goes to a [Journal] first, the window that [Memory.Messages] returns is kept
// small by summaries, and exact strings (paths, commands, hashes, numbers) are
// carried beside the summary, as [Memory.Evidence].
//
// [Check], [SafeCuts] and [Trim] stand alone, for those who keep their messages
// themselves: Check names what a provider would refuse, SafeCuts says where a
// conversation may be cut, Trim cuts it.
//
// # How an Append flows
//
//	Append -> valid? -> Journal.Append (durable) -> the window
//	       -> due? -> evidence, Options.Summarize -> Journal.Append (the record) -> the window is cut
//
// A conversation is made of units. A unit is an assistant message with tool
// calls, with the reasoning before it and all of its results, wherever they
// come; any other message is one of its own. A unit is kept, summarised or
// dropped whole.
//
// What a summary covers depends on the messages alone: where one was late,
// because the model failed, the process was killed or a batch was long, it covers
// what it would have covered in time, and the next one follows it. So a request
// to the summariser is as small as the options say, and the units allow.
//
// Its three kinds of memory, and the JSON of a message, are those of Flint, a
// library for TypeScript, whose own tests and examples run here.
//
// The package knows no provider's client. conversation/anthropicmsg and
// conversation/openaimsg translate, and make a summariser of a client.
package conversation
