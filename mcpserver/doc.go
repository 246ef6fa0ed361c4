// Package mcpserver serves an agent's workspace as MCP tools. It decodes arguments and
// encodes answers. All rules are in package workspace. The program that uses the
// package chooses the workspace of each call:
//
//	server, err := mcpserver.New(mcpserver.Options{
//		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
//			return svc.Agent(call.AgentID)
//		},
//	})
//	err = server.Run(ctx, os.Stdin, os.Stdout)
//
// A result is text. Its first block is the record, one line of JSON. Its second block, if
// there is one, is the body, exactly as it is stored. The tool memory, see [Options].Tools,
// answers with a body alone. The names of arguments are strict: the server refuses an unknown
// name, a name in the wrong case, a name that comes twice, and text that is not valid UTF-8.
// The error says what to send instead. Types are not strict, because clients convert values:
// "5" counts as the number 5. If an argument is a text, the server takes an object or a number
// as the text that was sent.
//
// Besides the tools, a server has the resource template scratchpad://{agent}/{+path}, with
// completion of paths. [Server.Run] serves one client over a pair of streams.
// [Server.Handler] serves any number of clients over HTTP. Both serve the protocol of
// 2026-07-28 and the earlier protocols, which begin with a handshake.
package mcpserver

// Where to begin:
//
//   - tool.go lists the tools and runs a call. file.go, read.go, log.go, list.go, summary.go,
//     usage.go and memory.go have the tools, home.go what they reach under "~/".
//     argument.go and result.go are what they share,
//     wording.go and shorten.go the words of errors. Package strictjson reads arguments.
//   - server.go has the options. Every message goes through receive in request.go, the SDK,
//     and then guard.go. admit.go asks whether a call may go on, observe.go tells how it ends.
//   - stdio.go and message.go, with package strictjson, read messages from lines. stdio_calls.go
//     keeps the calls until they are answered, order.go their order. repair.go and id.go repair
//     in a message what the SDK would refuse or lose, for lines and for HTTP. http.go and
//     body.go read messages from HTTP, with package session. refuse.go has the errors.
//     request.go lets a message in, and finds the request of a call.
//   - budget.go limits the memory of all calls, with package admission. weigh.go bounds how many
//     read at once, and says what a call takes of the budget.
