// Package scratchpad is the root of a module that is memory for AI agents, in
// parts that can be used alone:
//
//   - package workspace: durable, versioned files and append-only logs of an
//     agent, with every rule and limit, on package sqlite or in memory
//   - package mcpserver and command scratchpad: the same for agents that speak MCP
//   - package linediff: what changed between two texts, by lines
//   - package tokens: about what a text costs a model
//
// This package itself is for working memory inside a Go program. So far it has
// the [Snapshot], which exchanges files with the npm package agent-scratchpad,
// and the [Saver], which keeps one.
package scratchpad
