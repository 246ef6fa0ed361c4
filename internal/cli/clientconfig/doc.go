// Package clientconfig adds a server to the configuration file of an MCP client, such as Claude Code,
// Codex, VS Code or Zed.
//
// [Client.Snippet] returns the entry as text. [Client.AddServer] returns a [Change] that puts
// the entry into the file and leaves everything else there as it is, comments and layout
// included. [Change.Preview] says what the change would do, and [Preview.Write] makes the
// change.
//
//	client, _ := clientconfig.Find("cursor")
//	file, err := client.File()
//	...
//	preview, err := client.AddServer(file, "scratchpad", clientconfig.Server{
//		Command: "/usr/local/bin/scratchpad", Args: []string{"mcp"},
//	}).Preview()
//	...
//	err = preview.Write()
package clientconfig
