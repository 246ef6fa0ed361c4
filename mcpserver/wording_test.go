package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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
		text := must(json.Marshal(line))(t)
		w.send(request("1", "write_file", fmt.Sprintf(`{"path":"since_version","content":%s}`, text)))
		w.must()
		w.refused("edit_file", fmt.Sprintf(`{"path":"since_version","old_text":%q,"new_text":""}`, "?"+line), "",
			`edit since_version: old_text does not occur; the nearest is line 1: "`+line+`": conflict`)
	}
}
