// Package mcpserver serves an agent's workspace as MCP tools. It decodes and
// answers; every rule is the workspace's, and who the agent is comes from the
// caller of the package:
//
//	server, err := mcpserver.New(mcpserver.Options{
//		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
//			return svc.Agent(call.AgentID)
//		},
//	})
//	err = server.Run(ctx, os.Stdin, os.Stdout)
//
// A result is text: one line of JSON, the record, and then, where there is one,
// the body as it is. Arguments are decoded strictly: what a tool does not know,
// what stands twice or in the wrong case, and what is not the text that was
// meant, is refused with an error that says what to send instead.
//
// Besides the tools there is the resource template scratchpad://{agent}/{+path},
// with completion of paths. [Server.Run] serves one client over two streams,
// [Server.Handler] any number over HTTP; both serve the protocol of 2026-07-28 and
// those with a handshake before it.
package mcpserver
