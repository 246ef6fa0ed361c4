// Package conversation is the memory of a conversation with a model. It keeps the
// messages that are sent small by a rolling summary, and cuts them only where every
// provider accepts the cut.
//
// [History] and [Notes] are plain lists. A [Memory] does more. A message goes to its
// [Journal] first. The window that [Memory.Messages] returns is kept small by
// summaries. Exact strings, such as paths, commands, hashes and numbers, are carried
// beside the summary: see [Memory.Evidence].
//
// [Check], [SafeCuts], [Trim] and [OpenCalls] also work on a list of messages that
// you keep yourself. Check reports what a provider would refuse. SafeCuts returns
// where a conversation may be cut, and Trim cuts it. OpenCalls returns the calls
// without a result.
//
// # How an Append flows
//
//	Append -> is it valid? -> Journal.Append (durable) -> the window
//	       -> is a summary due? -> evidence, Options.Summarize -> Journal.Append (the summary) -> the window is cut
//
// A conversation consists of units. A unit is an assistant message with tool calls,
// the reasoning before it, and all of its results, wherever they come. Any other
// message is a unit of its own. A unit is kept, summarised or dropped whole.
//
// What a summary covers depends on the messages alone. A late summary covers the same
// messages as one made on time, and the next one follows it. A summary is late if the
// model failed, the process was killed, or many messages were appended at once. So a
// request to the summariser stays as small as the options and the units allow.
//
// The three kinds of memory and the JSON of a message are those of Flint, a library
// for TypeScript. Flint's own tests and examples run here.
//
// The package knows no provider's client. conversation/anthropicmsg and
// conversation/openaimsg translate messages to and from the types of a client, and
// make a summariser of it.
package conversation

// Where to begin: memory.go has Append. memory_journal.go writes to the journal,
// window.go decides what a summary covers, unit.go where a cut may be made. summary.go
// has the states of a summary, summary_maker.go goes through them, asker.go calls the
// model. check.go and rule.go have Check; file.go has the journal in a file.
