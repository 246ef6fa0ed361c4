// Package clientconfig adds a server to the configuration file of an MCP client:
// Claude Code, Claude Desktop, Cursor, VS Code, Windsurf or Codex.
//
// [Client.Snippet] returns the entry as text. [Client.Write] puts the entry into the
// file and leaves everything else there as it is, comments and layout included. It
// keeps a copy of the file as it was, and processes that edit one file take turns.
//
//	client, _ := clientconfig.Find("cursor")
//	file, err := client.File()
//	...
//	result, err := client.Write(file, "scratchpad", clientconfig.Server{
//		Command: "/usr/local/bin/scratchpad", Args: []string{"mcp"},
//	})
package clientconfig
