package browser

import (
	"fmt"
	"testing"
)

// The tree of a large agent by the keyboard: j and k go through what one sees, not through
// files in closed folders. What the person has opened and closed stays so when the page
// shows what agents have written.
func TestTree(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.together(80, func(i int) error {
		return s.try("claude-code", "write_file", object{"agent_id": "large", "path": fmt.Sprintf("%c/file-%02d.md", 'a'+i%2, i), "content": "x"})
	})
	s.write("claude-code", "small", "notes/one.md", "x")
	p := signIn(t, s.origin, s.newKey("read,write"), view{})
	p.visit("/a/large")
	p.see("Live", "40 files")
	held := func(want string) {
		t.Helper()
		if got := evaluate[string](p, `document.activeElement.innerText.trim()`); got != want {
			t.Errorf("the focus is on %q, want %q", got, want)
		}
	}
	p.press("j")
	held("a 40 files")
	p.press("j")
	held("b 40 files")
	p.press("k", "Enter", "j")
	held("file-00.md")
	s.write("codex", "large", "b/new.md", "x")
	p.see("41 files")
	held("file-00.md")
	p.press("k")
	held("a 40 files")
	s.write("codex", "large", "a/new.md", "x")
	p.see("a 41 files")
	held("a 41 files")
	p.press("Enter", "j")
	held("b 41 files")

	p.visit("/a/small")
	p.see("Live", "one.md")
	p.press("j")
	held("notes 1 file")
	p.press("Enter")
	p.gone("one.md v1 1 B")
	s.write("codex", "small", "notes/two.md", "x")
	p.see("notes 2 files")
	if evaluate[bool](p, `document.querySelector("details").open`) {
		t.Error("a folder that was closed is open again")
	}
}
