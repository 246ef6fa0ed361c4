// Package memorytool is Claude's memory tool, memory_20250818, on the files of a
// workspace. The model views, creates, edits, renames and deletes files under /memories.
// They outlive the conversation.
//
// With the tool runner of anthropic-sdk-go/v2:
//
//	tool := memorytool.New(ws, memorytool.Options{})
//	runner := client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{tool}, anthropic.BetaToolRunnerParams{
//		BetaMessageNewParams: anthropic.BetaMessageNewParams{
//			Model: model, MaxTokens: 4096, Messages: messages,
//			Tools: []anthropic.BetaToolUnionParam{memorytool.BetaDefinition()},
//		},
//	})
//	answer, err := runner.RunToCompletion(ctx)
//
// Give the runner the definition in Tools as above, when you create it. For the definition,
// the API adds instructions on memory to the prompt. Without it, the runner sends
// [Tool.Description] and [Schema], as for any other tool. The model can use the tool, but
// gets no such instructions. The runner's AddTools sends no definition either, and its
// AddToolParams takes the tool away from the runner.
//
// In a loop of your own, put [Definition] into Tools. While the model stops for its tools,
// answer the calls of the response in order. In a response that stopped with max_tokens the
// last call may be cut: do not run it.
//
//	for _, block := range response.Content {
//		if call, is := block.AsAny().(anthropic.ToolUseBlock); is {
//			results = append(results, tool.Result(ctx, call))
//		}
//	}
//
// For other providers and clients, [Tool.Run] takes a command as JSON and returns text.
// [Name], [Tool.Description] and [Schema] say what to tell the model.
//
// # Files
//
// /memories is the workspace, and /memories/notes/plan.md is the file notes/plan.md in it.
// Every command is one transaction. Every change is a version in the file's history, by
// the author of the workspace: see [workspace.Workspace.As]. Limits of the workspace are
// errors that the model reads. Other programs may use the workspace at the same time. Edits
// of one file are then all kept.
//
// # Calls in one turn
//
// A model may ask for several commands in one turn. A [Tool] runs one command at a time.
// The runner starts all calls of a turn at once, so they run in any order, and an edit may
// run before the command that creates its file. The model then reads an error and can
// try again. If that must not happen, ask for one call in each turn:
//
//	ToolChoice: anthropic.BetaToolChoiceUnionParam{OfAuto: &anthropic.BetaToolChoiceAutoParam{
//		DisableParallelToolUse: anthropic.Bool(true),
//	}}
//
// A loop of your own keeps the order of the response.
//
// # Errors
//
// What goes wrong is text for the model, in a result with is_error. The runner puts
// "Error: " before the text of every error, and keeps nothing else of it. Some of the
// documented texts begin with "Error: " themselves. [Tool.Execute] takes that away, so the
// model reads it once. The runner adds it to the other texts too. [Tool.Result] and
// [Tool.Run] have the documented texts as they are.
package memorytool
