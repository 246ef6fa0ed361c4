package browser

import (
	"strings"
	"testing"
)

// A person finds an agent, opens a file, edits it, saves it and looks at what has changed,
// with the keyboard alone.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, agent := range []string{"alpha", "planner", "zulu"} {
		s.write("claude-code", agent, "notes/todo.txt", "nothing\n")
		s.write("claude-code", agent, "plan.txt", "the plan of "+agent+"\n")
	}
	key := s.newKey("read,write,admin", "--name", "Ada")
	p := open(t, s.origin, view{width: 360, dark: true})
	p.visit("/?order=name")
	p.tabTo("textbox", "API key")
	p.write(key)
	p.enter()
	p.press("?")
	p.find("dialog", "Keyboard")
	p.see("Next and previous in a list")
	p.press("Escape")
	p.gone("Next and previous in a list")
	p.tabTo("searchbox", "Part of the name")
	p.write("plan")
	p.enter()
	p.gone("alpha")
	p.focus("link", "planner", "j")
	p.enter()
	p.find("heading", "planner")

	p.focus("DisclosureTriangle", "notes", "j") // a folder
	p.press("j", "j")
	p.focus("link", "plan.txt", "")
	p.press("k", "j")
	p.focus("link", "plan.txt", "")
	p.enter()
	p.find("heading", "plan.txt")
	p.tabTo("link", "Edit")
	p.enter()
	p.tabTo("textbox", "Text of plan.txt")
	p.press("Control+a")
	p.write("the plan /jk?\n") // keys of the page are text here
	p.press("Tab")
	p.focus("button", "Save", "")
	p.enter()
	p.see("the plan /jk?")
	p.tabTo("link", "Compare")
	p.enter()
	p.see("+1 −1 lines")
	p.tabTo("link", "Side by side")
	p.enter()
	p.find("region", "Side by side")
	p.press("/")
	p.find("heading", "Search") // the field in the header is not on screen at this width
	p.focus("searchbox", "Search", "")
}

// focus presses a key, or none, and waits until the focus is at a control. The role "" is any.
func (p *tab) focus(role, name, key string) {
	p.t.Helper()
	if key != "" {
		p.press(key)
	}
	var at control
	if !p.wait(patience, func() bool {
		at = p.focused()
		return (role == "" || at.role == role) && strings.HasPrefix(at.name, name)
	}) {
		p.t.Fatalf("at %s the focus is at %v, want %s %q", p.where(), at, role, name)
	}
	if shown, err := onElement[bool](at, focusShown); err != nil || !shown {
		p.t.Errorf("at %s nobody sees that %v has the focus: %v", p.where(), at, err)
	}
}

// Without JavaScript the same is done.
func TestNoScript(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write("claude-code", "planner", "plan.txt", "the plan\n")
	for i := range 150 {
		s.append("nightly", "planner", "runs", entry(i+1))
	}
	p := signIn(t, s.origin, s.newKey("read,write,admin", "--name", "Ada"), view{noScript: true})
	p.none("button", "Keyboard") // what needs a script is not there
	p.fill("searchbox", "Part of the name", "plan")
	p.follow("button", "Find")
	p.follow("link", "planner")
	p.find("region", "Files").in("link", "plan.txt").follow()
	p.none("button", "Copy")
	p.follow("link", "Edit")
	p.fill("textbox", "Text", "the plan of Ada\n")
	p.follow("button", "Save")
	p.see("the plan of Ada")
	p.find("navigation", "Views of the file").in("link", "Compare").follow()
	p.see("+1 −1 lines")
	p.look(view{width: 360, noScript: true})
	p.noOverflow()

	p.visit("/a/planner/logs/runs")
	p.see(entry(150))
	p.gone(entry(1) + " ")
	p.follow("link", "Older")
	p.see(entry(20))
	p.follow("link", "Newest")
	p.follow("link", "Trim")
	p.fill("textbox", "Delete the entries through number", "140")
	p.follow("button", "Count them")
	p.see("140 entries of 150 go")
	p.follow("button", "Trim 140 entries")
	p.see(entry(141))
	p.gone(entry(140))
	p.follow("button", "Sign out")
	p.find("heading", "Sign in")
}
