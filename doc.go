// Package scratchpad is the root of a module that gives AI agents a memory. It
// holds no code. Each part below can be used alone:
//
//   - Package pad is working memory inside a Go program: values under keys, with
//     TTL, namespaces, snapshots, forks, and rendering under a token budget.
//   - Package conversation keeps the history of a conversation with a model. A
//     rolling summary bounds it, and it is cut only where every provider accepts
//     the cut.
//   - Package workspace is durable storage for one agent: versioned files with
//     diffs, append-only logs, summaries, and every rule and limit. Package sqlite
//     keeps it in one SQLite file, package workspace/memstore in memory.
//   - Package mcpserver offers a workspace as MCP tools, over stdio and HTTP.
//     Command scratchpad is that server in one binary, with commands for people.
//   - Package summarize writes summaries of long files, with a model or offline.
//   - Package outline says what is in a text, and where.
//   - Package linediff compares two texts by lines.
//   - Package tokens estimates what a text costs a model.
//
// To begin, run "scratchpad demo", or read the examples of package pad, of
// [github.com/agent-scratchpad/scratchpad/workspace.Workspace], or of package
// conversation.
package scratchpad
