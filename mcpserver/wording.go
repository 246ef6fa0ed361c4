package mcpserver

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// words are the names by which a model knows arguments and tools. No other file
// words an error of the workspace.
var words = store.Words{
	Arg: map[store.Arg]string{
		store.ArgAgent:       "agent_id",
		store.ArgAfter:       "after",
		store.ArgIfVersion:   "if_version",
		store.ArgVersion:     "version",
		store.ArgSince:       "since_version",
		store.ArgContext:     "context_lines",
		store.ArgFromLine:    "from_line",
		store.ArgToLine:      "to_line",
		store.ArgOld:         "old_text",
		store.ArgNew:         "new_text",
		store.ArgAll:         "all",
		store.ArgSinceEntry:  "since_entry",
		store.ArgLimit:       "limit",
		store.ArgTail:        "tail",
		store.ArgThrough:     "through_entry",
		store.ArgSinceChange: "since",
		store.ArgWhere:       "where",
		store.ArgOnce:        "once",
		store.ArgSection:     "section",
		store.ArgNewPath:     "new_path",
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
	case store.DoReadFile:
		return "use read_file"
	case store.DoReadLog:
		return "use read_log"
	case store.DoList:
		return "list_files shows those that exist"
	case store.DoUnicodePaths:
		return "the operator can allow it with --paths unicode"
	case store.DoRestore:
		return fmt.Sprintf("write_file with restore_version %[1]d brings it back, "+
			"read_file with version %[1]d shows it", e.Way.N)
	case store.DoDropDeleted:
		return "a person drops them with scratchpad files rm --for-good"
	case store.DoDelete:
		return "make room with delete_log or delete_file"
	case store.DoCallChanges:
		return "call changes without since"
	case store.DoSearchExact:
		return "set exact to look for it as it stands"
	case store.DoOutside:
		switch {
		case e.Quota != nil:
			return "a project has half of the limit; a person makes room with scratchpad --agent default files rm"
		case e.Kind == workspace.ErrInvalid:
			return "a person writes it: scratchpad --agent default files write START.md, or a session outside of " +
				"projects"
		}
		return "a person can: scratchpad --agent default files, or a session outside of projects"
	case store.DoFreeStore:
		if e.Quota != nil && e.Quota.Of == store.StoreAgents {
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
func (a *arguments) zeros() (zeros []store.Arg) {
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
