package mcpserver

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Tools says which tools a server has.
type Tools int

const (
	// StorageTools are write_file, read_file, append_log, search and the others of this
	// package.
	StorageTools Tools = iota

	// MemoryTool is the tool memory alone. Its commands are those of Claude's memory tool,
	// memory_20250818, and work on the agent's files. It is for models that were trained on
	// these commands.
	MemoryTool

	// AllTools are the tools of StorageTools and MemoryTool.
	AllTools
)

// memoryTool takes the members of a command as its arguments.
var memoryTool = tool{
	name:        memorycommand.Name,
	agentID:     agentIDMeaning,
	description: memorycommand.Description(),
	scope:       reads | writes,
	weight:      medium,
	destructive: true,
	properties:  memorycommand.Fields(),
	prepare: func(a *arguments) (err error) {
		if a.key != "" {
			return invalid("the tool %s takes no idempotency key; leave it out, "+
				"and view the file to see whether a command was done", memorycommand.Name)
		}
		a.command, err = memorycommand.Options{}.Command(a.Values)
		return err
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		text, err := a.command.Do(ctx, ws)
		return result{body: []byte(text)}, err
	},
}

const memoryInstructions = `Memory of your own that outlives this conversation: files under /memories, for the tool memory.%s
%s Your context may end at any time.
View /memories before you begin. /memories/START.md has what you must know at the start. Keep the notes short and in order; correct them in place of adding to them.
An error says what to do next.`
