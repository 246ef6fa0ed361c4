package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An error quotes a line of a file unchanged, even if the line reads like an error in Go,
// on the command line or here.
func TestQuotesAreNotReworded(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWire(t, newServer(t, "a"))
	for _, line := range []string{
		"IfVersion is 0, Since is 1, old occurs 2 times, set All",
		"if_version is 0; read it with since_version 2; use read_file: quota exceeded",
		"ListFiles shows those that exist; delete what is not needed: not found",
	} {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		w.send(request("1", "write_file", fmt.Sprintf(`{"path":"since_version","content":%s}`, text)))
		w.must()
		w.refused("edit_file", fmt.Sprintf(`{"path":"since_version","old_text":%q,"new_text":""}`, "?"+line), "",
			`edit since_version: old_text does not occur; the nearest is line 1: "`+line+`": conflict`)
	}
}

// The way out of a failed summary does not depend on what the provider said.
func TestWayOutOfFailedSummary(t *testing.T) {
	for _, failed := range []error{
		workspace.Errorf(workspace.ErrProvider, "the model said: use read_file"),
		fmt.Errorf("the model said: use read_file: %w", workspace.ErrProvider),
	} {
		server, _ := summarizing(t, asking(func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{}, failed
		}))
		newWire(t, server).refused("summarize_file", `{"path":"f"}`, "", "the model said: use read_file", "; meanwhile use read_file with from_line and to_line", "the model's provider")
	}
}
