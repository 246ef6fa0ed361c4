package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// put writes a file of an agent as a process of its own, as an agent does.
func (s *server) put(agent, path, text string) {
	s.t.Helper()
	source := filepath.Join(s.t.TempDir(), "text")
	must(s.t, os.WriteFile(source, []byte(text), 0o600))
	s.run("files", "write", path, source, "--agent", agent)
}

// cat returns the text of a file.
func (s *server) cat(agent, path string) string {
	s.t.Helper()
	return s.run("files", "cat", path, "--agent", agent)
}

// Two people and an agent edit one file. Each sees on screen what the others have written,
// and nobody's text is lost.
func TestEditing(t *testing.T) {
	for _, v := range []view{{}, {width: 360, dark: true, noScript: true}} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			key := s.newKey("read,write")
			s.put("planner", "notes/plan.md", "one\r\ntwo\r\n")
			p, other := signIn(t, s.origin, key, v), signIn(t, s.origin, s.newKey("read,write"), v)
			for _, who := range []*tab{p, other} {
				who.visit("/a/planner/files/notes/plan.md")
				who.follow("link", "Edit")
				who.find("textbox", "Text of notes/plan.md")
			}
			p.review("editor")
			p.fill("textbox", "Text of", "\none\nmine\n")
			other.fill("textbox", "Text of", "one\ntheirs\n")
			other.follow("button", "Save")
			other.see("Version 2 by scratchpad console")
			if got := s.cat("planner", "notes/plan.md"); got != "one\r\ntheirs\r\n" {
				t.Errorf("the file has %q", got)
			}
			if !v.noScript {
				p.seeWithin(2*time.Second, "Somebody has written version 2")
				p.review("editor-newer")
			}
			if got := p.find("textbox", "Text of").value(); got != "\none\nmine\n" {
				t.Errorf("the text field has %q", got)
			}
			s.put("planner", "notes/plan.md", "one\r\nan agent's\r\n")
			p.expect("status: 409")
			p.follow("button", "Save")
			p.see("was changed while you edited it", "an agent's", "Theirs, version 3")
			p.review("conflict")
			p.follow("button", "Save")
			p.see("Version 4 by scratchpad console")
			if got := s.cat("planner", "notes/plan.md"); got != "\r\none\r\nmine\r\n" {
				t.Errorf("the file has %q", got)
			}
		})
	}
}

// A person without JavaScript makes a file, moves it, restores a version and deletes it. The
// stops Edit and Change of TestTour do so with JavaScript. This test does both with
//
//	cd internal/e2e && SCRATCHPAD_TEST=full go test -timeout 60m -run ChangingFiles ./browser
func TestChangingFiles(t *testing.T) {
	without := []view{{width: 360, dark: true, noScript: true}}
	for _, v := range testkit.Pick(without, without, append(without, view{})) {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.put("planner", "there.md", "one")
			p := signIn(t, s.origin, s.newKey("read,write"), v)
			p.visit("/a/planner")
			p.follow("link", "New file")
			p.review("new-file")
			p.fill("textbox", "Path", "there.md")
			p.fill("textbox", "Text", "# Plan\n")
			p.expect("status: 409")
			p.follow("button", "Create")
			p.see("There is a file at this path.")
			p.review("new-file-refused")
			p.fill("textbox", "Path", "notes/plan.md")
			p.follow("button", "Create")
			p.see("Version 1 by scratchpad console")
			s.put("planner", "notes/plan.md", "# Other\n")
			p.visit("/a/planner/files/notes/plan.md?v=1")
			p.follow("button", "Restore")
			p.see("Version 3 by scratchpad console")
			p.follow("link", "Move")
			p.review("move")
			p.fill("textbox", "New path", "plan.md")
			p.follow("button", "Move")
			p.see("Version 4 by scratchpad console")
			p.follow("link", "Delete")
			p.see("4 kept versions", "cannot be brought back")
			p.review("delete")
			p.follow("button", "Delete")
			p.see("Delete plan.md")
			if got := s.run("files", "ls", "--agent", "planner"); strings.Contains(got, "plan.md") {
				t.Errorf("after the deletion there are\n%s", got)
			}
			s.put("planner", "mixed.txt", "one\r\ntwo\n")
			p.visit("/a/planner/files/mixed.txt?view=edit")
			p.see("Some of its lines end with LF and some with CRLF")
			p.none("button", "Save")
			p.review("editor-refused")
		})
	}
}

// The session ends while somebody types. The text stays on screen, also in the answer to
// Save.
func TestSessionEndsWhileEditing(t *testing.T) {
	for _, v := range []view{{}, {noScript: true}} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.put("planner", "plan.md", "one\n")
			p := signIn(t, s.origin, s.newKey("read,write"), v)
			p.visit("/a/planner/files/plan.md?view=edit")
			p.fill("textbox", "Text of", "one\nmine\n")
			second := p.another()
			second.visit("/")
			second.follow("button", "Sign out")
			if !v.noScript {
				p.see("You are signed out. Copy your text")
			}
			if got := p.find("textbox", "Text of").value(); got != "one\nmine\n" {
				t.Errorf("the text field has %q", got)
			}
			p.expect("status: 401")
			p.follow("button", "Save")
			if got := p.find("textbox", "Your text was not saved").value(); got != "one\nmine\n" {
				t.Errorf("the answer has %q", got)
			}
			p.review("signed-out-text")
		})
	}
}
