// Package scratchpad is the root of a module that is memory for AI agents, in
// parts that can be used alone:
//
//   - package workspace: durable, versioned files and append-only logs of an
//     agent, with every rule and limit, on package sqlite or in memory
//   - package conversation: the history of a conversation with a model, bounded by a
//     rolling summary and never cut where a provider would refuse it
//   - package mcpserver and command scratchpad: the same for agents that speak MCP
//   - package linediff: what changed between two texts, by lines
//   - package tokens: about what a text costs a model
//
// This package itself is working memory inside a Go program: a [Pad] of values
// under keys, in the order of their creation.
//
//	p, err := scratchpad.New(scratchpad.Options{DefaultTTL: time.Hour})
//	err = p.SetWith("plan", plan, scratchpad.SetOptions{Tags: []string{"prompt"}})
//	plan, err := scratchpad.Get[Plan](p, "plan")
//	prompt := p.Render(scratchpad.RenderOptions{Format: scratchpad.Markdown, MaxTokens: 2000})
//
// Entries expire, by a time from their creation or from their last access.
// [Pad.Namespace] gives each agent a view of its own. [Pad.Snapshot] and [Pad.Fork]
// cost nothing, whatever the size: to try something and come back with
// [Pad.Restore], or to explore in parallel and put the results together with
// [Pad.Merge]. [Pad.On] tells of changes, and a [Saver] keeps a pad in a file
// ([FileSaver]) or in an agent's workspace; its JSON is that of the npm package
// agent-scratchpad.
//
// It is not for what must survive at once: a pad is saved as a whole, when asked or
// when it is quiet. Package workspace is for that.
//
// Inside, the entries are immutable and stand in a hash trie whose nodes pads and
// snapshots share (trie.go); ordered indexes hold only keys (content.go). A Get
// needs no lock (store.go), and its time of access is kept beside the entry
// (entry.go), so that no snapshot changes.
package scratchpad
