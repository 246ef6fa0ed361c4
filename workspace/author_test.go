package workspace_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A version and an entry keep their author. What a client says about itself is cut to 256
// bytes of valid text.
func TestAuthor(t *testing.T) {
	plain := newWorkspace(t, workspace.Options{})
	for _, test := range []struct{ given, want workspace.Author }{
		{workspace.Author{}, workspace.Author{}},
		{workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}, workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}},
		{workspace.Author{Client: strings.Repeat("x", 256)}, workspace.Author{Client: strings.Repeat("x", 256)}},
		{workspace.Author{Client: strings.Repeat("x", 9999)}, workspace.Author{Client: strings.Repeat("x", 256)}},
		{workspace.Author{Version: strings.Repeat("日", 100)}, workspace.Author{Version: strings.Repeat("日", 85)}},
		{workspace.Author{Key: "a\xffb"}, workspace.Author{Key: "a\uFFFDb"}},
		{workspace.Author{Client: "a\x00b", Session: "\x00"}, workspace.Author{Client: "a\uFFFDb"}},
	} {
		ws := plain.As(test.given)
		write(t, ws, "f", "x")
		appendLog(t, ws, "l", "x")
		h, err := plain.History(t.Context(), "f")
		if err != nil || h[len(h)-1].Author != test.want {
			t.Errorf("the version's author is %+v, %v, want %+v", h[len(h)-1].Author, err, test.want)
		}
		if r := read(t, plain, "f", workspace.ReadOptions{}); r.Author != test.want {
			t.Errorf("the file's author is %+v, want %+v", r.Author, test.want)
		}
		if page := readLog(t, plain, "l", workspace.ReadLogOptions{Tail: 1}); page.Entries[0].Author != test.want {
			t.Errorf("the entry's author is %+v, want %+v", page.Entries[0].Author, test.want)
		}
	}
	write(t, plain, "f", "x")
	if r := read(t, plain, "f", workspace.ReadOptions{}); r.Author != (workspace.Author{}) {
		t.Errorf("the author is %+v, want none: As leaves the workspace as it was", r.Author)
	}
}
