package mcpserver

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// words are the names by which a model knows arguments and tools. No other file
// words an error of the workspace.
var words = workspace.Words{
	Arg: map[workspace.Arg]string{
		workspace.ArgAgent:       "agent_id",
		workspace.ArgAfter:       "after",
		workspace.ArgIfVersion:   "if_version",
		workspace.ArgVersion:     "version",
		workspace.ArgSince:       "since_version",
		workspace.ArgContext:     "context_lines",
		workspace.ArgFromLine:    "from_line",
		workspace.ArgToLine:      "to_line",
		workspace.ArgOld:         "old_text",
		workspace.ArgNew:         "new_text",
		workspace.ArgAll:         "all",
		workspace.ArgSinceEntry:  "since_entry",
		workspace.ArgLimit:       "limit",
		workspace.ArgTail:        "tail",
		workspace.ArgThrough:     "through_entry",
		workspace.ArgSinceChange: "since",
		workspace.ArgWhere:       "where",
		workspace.ArgOnce:        "once",
		workspace.ArgSection:     "section",
		workspace.ArgNewPath:     "new_path",
	},
	Way: wayOut,
}

// textOf returns the text of an error for a model.
func textOf(err error) string {
	if e, ok := err.(*workspace.Error); ok {
		return e.Text(words)
	}
	return err.Error()
}

// wayOut names the tool that helps. It returns "" where no tool has to be named.
func wayOut(e *workspace.Error) string {
	switch e.Way.Do {
	case workspace.DoReadFile:
		return "use read_file"
	case workspace.DoReadLog:
		return "use read_log"
	case workspace.DoList:
		return "list_files shows those that exist"
	case workspace.DoUnicodePaths:
		return "the operator can allow it with --paths unicode"
	case workspace.DoRestore:
		return fmt.Sprintf("write_file with restore_version %[1]d brings it back, "+
			"read_file with version %[1]d shows it", e.Way.N)
	case workspace.DoDropDeleted:
		return "a person drops them with scratchpad files rm --for-good"
	case workspace.DoDelete:
		return "make room with delete_log or delete_file"
	case workspace.DoCallChanges:
		return "call changes without since"
	case workspace.DoSearchExact:
		return "set exact to look for it as it stands"
	case workspace.DoOutside:
		switch {
		case e.Quota != nil:
			return "a project has half of the limit; a person makes room with scratchpad --agent default files rm"
		case e.Kind == workspace.ErrInvalid:
			return "a person writes it: scratchpad --agent default files write START.md, or a session outside of " +
				"projects"
		}
		return "a person can: scratchpad --agent default files, or a session outside of projects"
	case workspace.DoFreeStore:
		if e.Quota != nil && e.Quota.Of == workspace.StoreAgents {
			return "use an agent_id that is there, or ask the operator to delete agents or to raise --max-agents"
		}
		return "ask the operator to delete agents or to raise --max-total-bytes"
	}
	if e.Kind == workspace.ErrProvider && e.Way.Do == 0 {
		return "meanwhile use read_file with from_line and to_line"
	}
	return ""
}

// zeros returns the arguments that a call gives as 0, which the options of the
// workspace take for none.
func (a *arguments) zeros() (zeros []workspace.Arg) {
	for _, given := range a.Values {
		if given.Kind != "integer" || given.Number != 0 {
			continue
		}
		for arg, name := range words.Arg {
			if name == given.Name {
				zeros = append(zeros, arg)
			}
		}
	}
	return zeros
}
