package main

import (
	"path/filepath"
	"strings"
)

// The note has a heading and lines. A change is of one line.
const (
	heading = "# Note"
	lines   = 200
	adds    = 20 // of each process
)

// A call is one call of a tool.
type call struct {
	tool string
	args map[string]any
}

// A peer is one memory server, and how an agent uses it with few tokens.
type peer struct {
	name    string // of a server from npm, the package with its version
	command []string
	env     []string // with $HOME for its working folder

	write  func(lines []string) call               // stores the note
	change func(note []string, line string) []call // puts a line in the place of the last one
	see    call                                    // shows that change to an agent that has read the note
	add    func(line string) call                  // adds a line
	read   call                                    // shows the whole note
}

func text(lines []string) string { return heading + "\n" + strings.Join(lines, "\n") + "\n" }

// peers returns the servers to measure, ours first. The packages of npm are below modules. Each
// server keeps its memory in its working folder.
func peers(program, modules string) []peer {
	script := func(pkg string) string {
		return filepath.Join(modules, "node_modules", "@modelcontextprotocol", pkg, "dist", "index.js")
	}
	return []peer{{
		name:    "Scratchpad",
		command: []string{program, "--db", "memory.db", "mcp", "--agent", "a"},
		write: func(lines []string) call {
			return call{"write_file", map[string]any{"path": "note.md", "content": text(lines)}}
		},
		change: func(note []string, line string) []call {
			return []call{{"edit_file", map[string]any{"path": "note.md", "old_text": note[len(note)-1], "new_text": line}}}
		},
		see: call{"read_file", map[string]any{"path": "note.md", "since_version": 1}},
		add: func(line string) call {
			return call{"edit_file", map[string]any{"path": "note.md", "old_text": "", "new_text": line + "\n"}}
		},
		read: call{"read_file", map[string]any{"path": "note.md"}},
	}, {
		name:    "@modelcontextprotocol/server-memory@2026.8.31",
		command: []string{"node", script("server-memory")},
		env:     []string{"MEMORY_FILE_PATH=$HOME/memory.jsonl"},
		write: func(lines []string) call {
			return call{"create_entities", map[string]any{"entities": []any{
				map[string]any{"name": "note", "entityType": "note", "observations": lines}}}}
		},
		change: func(note []string, line string) []call {
			return []call{{"delete_observations", map[string]any{"deletions": []any{
				map[string]any{"entityName": "note", "observations": note[len(note)-1:]}}}}, observe(line)}
		},
		see:  call{"open_nodes", map[string]any{"names": []string{"note"}}},
		add:  observe,
		read: call{"open_nodes", map[string]any{"names": []string{"note"}}},
	}, {
		name:    "@modelcontextprotocol/server-filesystem@2026.8.31",
		command: []string{"node", script("server-filesystem"), "."},
		write: func(lines []string) call {
			return call{"write_file", map[string]any{"path": "note.md", "content": text(lines)}}
		},
		change: func(note []string, line string) []call { return []call{replace(note[len(note)-1], line)} },
		see:    call{"read_text_file", map[string]any{"path": "note.md"}},
		add:    func(line string) call { return replace(heading+"\n", heading+"\n"+line+"\n") },
		read:   call{"read_text_file", map[string]any{"path": "note.md"}},
	}}
}

func observe(line string) call {
	return call{"add_observations", map[string]any{"observations": []any{
		map[string]any{"entityName": "note", "contents": []string{line}}}}}
}

func replace(before, after string) call {
	return call{"edit_file", map[string]any{"path": "note.md",
		"edits": []any{map[string]any{"oldText": before, "newText": after}}}}
}
