package browser

import (
	"fmt"
	"strings"
	"testing"
)

// A tour is a person who uses every page of a server.
type tour struct {
	*tab
	s *server
}

// stops are what a tour does, in any order. Each uses an agent of its own.
var stops = []struct {
	name string
	do   func(*tour)
}{
	{"Agents", (*tour).agents},
	{"Agent", (*tour).agent},
	{"File", (*tour).file},
	{"Compare", (*tour).compare},
	{"Edit", (*tour).edit},
	{"Conflict", (*tour).conflict},
	{"Change", (*tour).change},
	{"Log", (*tour).log},
	{"Search", (*tour).search},
	{"Summaries", (*tour).summaries},
	{"Keys", (*tour).keys},
	{"Health", (*tour).health},
}

// A person does what each page offers. Each page is looked at in both widths and both themes.
func TestTour(t *testing.T) {
	s := newServer(t)
	key := s.newKey(everything, "--name", "Ada")
	for _, stop := range stops {
		t.Run(stop.name, func(t *testing.T) {
			t.Parallel()
			here := *s
			here.t = t
			stop.do(&tour{signIn(t, s.origin, key, view{}), &here})
		})
	}
}

const everything = "read,write,admin,metrics" // the scopes of a key for everything

// agents finds agents, orders them, and goes from page to page.
func (p *tour) agents() {
	p.s.together(60, func(i int) error {
		return p.s.try("crawler", "write_file", object{"agent_id": fmt.Sprintf("crawler-%02d", i), "path": "seen.md", "content": strings.Repeat("x", 100*i+1)})
	})
	p.visit("/?order=name&q=crawler")
	p.see("crawler-00", "crawler-49")
	p.review("agents")
	p.follow("link", "Next")
	p.see("crawler-50", "crawler-59")
	p.none("link", "crawler-49")
	p.follow("link", "First page")
	p.follow("link", "Size")
	p.see("crawler-59")
	p.none("link", "crawler-00")
	p.fill("searchbox", "Part of the name", "ler-3")
	p.follow("button", "Find")
	p.see("crawler-30", "crawler-39")
	p.none("link", "crawler-29")
	if got := p.where(); !strings.Contains(got, "order=size") {
		t := p.t
		t.Errorf("after a search the order is forgotten: %s", got)
	}
	p.fill("searchbox", "Part of the name", "nobody")
	p.enter()
	p.see("No agent has nobody in its name.")
	p.review("agents-none")
	p.visit("/?q=crawler-07")
	p.follow("link", "crawler-07")
	p.find("heading", "crawler-07")
}

// agent looks at what an agent keeps and at the journal of its changes.
func (p *tour) agent() {
	const agent = "planner"
	for _, path := range []string{"plan.md", "notes/week-1.md", "notes/week-2.md", "notes/old/2019.txt", "src/deep/er/still/main.go"} {
		p.s.write("claude-code", agent, path, "# "+path+"\n")
	}
	p.s.write("reviewer", agent, "plan.md", "# plan\n\nship it\n")
	for i := range 3 {
		p.s.append("nightly", agent, "runs/1", fmt.Sprintf("run %d", i))
	}
	p.s.call("claude-code", "move_file", object{"agent_id": agent, "path": "notes/week-1.md", "new_path": "notes/first-week.md"})
	p.s.call("claude-code", "delete_file", object{"agent_id": agent, "path": "notes/old/2019.txt"})
	p.visit("/a/" + agent)
	p.see("plan.md", "first-week.md", "main.go", "reviewer", "runs/1", "Delete notes/old/2019.txt", "notes/week-1.md → notes/first-week.md")
	p.review("agent")
	p.follow("link", "All changes")
	p.see("Append runs/1")
	p.review("changes")
	p.fill("searchbox", "Beginning of the path", "notes/")
	p.follow("button", "Find")
	p.see("Delete notes/old/2019.txt")
	p.gone("runs/1")
	p.visit("/a/" + agent)
	p.find("complementary", "Changes").in("link", "Diff of plan.md").follow()
	p.see("ship it")
	p.visit("/a/nobody-yet")
	p.see("This agent has stored nothing yet")
	p.review("agent-empty")
	p.expect("status: 404")
	p.visit("/a/" + agent + "/files/none.md")
	p.review("not-found")
}

const markdownText = `# Release plan

Ship **version 2** on *Friday*, as [the notes](notes/week-1.md#main) and [the site](https://example.com/) say.

- [x] budget
- [ ] a very long item with a_word_that_does_not_break_anywhere_because_it_is_an_identifier_of_some_kind

| Who | When |
|:----|-----:|
| Ada | Monday |

` + "```go\nfunc main() { println(\"a line of code that is so long that it has to scroll sideways at any width of a phone\") }\n```" + `

> Quote: ![an image](https://example.com/i.png)
`

// file reads a file in every way, copies and downloads it.
func (p *tour) file() {
	const agent = "reader"
	p.s.write("claude-code", agent, "plan.md", "# Release plan\n")
	p.s.write("claude-code", agent, "plan.md", markdownText)
	hidden := "total = 0\r\nif admin {\u202e \u2066// only\u2069\n\tx := \"a\u00a0b\u200b\"\x1b[31m\n" + strings.Repeat("long ", 100)
	p.s.write("crawler", agent, "code/odd.txt", hidden)
	p.visit("/a/" + agent)
	p.find("region", "Files").in("link", "plan.md").follow()
	p.find("heading", "Release plan")
	p.find("link", "the site")
	p.review("file-rendered")
	p.follow("link", "Source")
	p.see("**version 2**", "Version 1", "+")
	p.review("file-source")
	p.click("link", "3")
	if got := p.where(); !strings.HasSuffix(got, "#L3") {
		p.t.Errorf("the number of a line leads to %s, want #L3", got)
	}
	p.find("complementary", "Versions").in("link", "Version 1").follow()
	p.see("This is version 1. The newest is version 2.")
	p.review("file-version")

	p.visit("/a/" + agent + "/files/code/odd.txt")
	p.see("U+202E", "U+200B", "U+001B")
	p.review("file-marks")
	if got := p.find("button", "Copy").copied(); got != hidden {
		p.t.Errorf("copied %q, want %q", got, hidden)
	}
	if name, got := p.find("link", "Download").download(); name != "odd.txt" || string(got) != hidden {
		p.t.Errorf("downloaded %q %q, want odd.txt %q", name, got, hidden)
	}
	p.follow("link", "Raw")
	if got := evaluate[string](p.tab, "document.contentType + ' ' + document.body.textContent"); !strings.HasPrefix(got, "text/plain total = 0") {
		p.t.Errorf("the raw page shows %q", got)
	}
	p.s.write("crawler", agent, "empty.txt", "")
	p.visit("/a/" + agent + "/files/empty.txt")
	p.see("The file is empty.")
	p.review("file-empty")
	p.s.write("crawler", agent, "long.txt", strings.Repeat("a line\n", 4500))
	p.visit("/a/" + agent + "/files/long.txt")
	p.follow("link", "Next lines")
	p.see("Lines 2001 to 4000 of 4500")
	p.follow("link", "Next lines")
	p.see("Lines 4001 to 4500 of 4500")
}

// compare looks at what changed between versions, in both layouts.
func (p *tour) compare() {
	const agent = "compared"
	var old, now strings.Builder
	for i := range 60 {
		fmt.Fprintf(&old, "line %d of the plan stays\n", i)
		switch i {
		case 5:
			now.WriteString("line 5 of the agreed plan stays\nand one more\n")
		case 40:
		default:
			fmt.Fprintf(&now, "line %d of the plan stays\n", i)
		}
	}
	p.s.write("claude-code", agent, "plan.txt", "first\n")
	p.s.write("claude-code", agent, "plan.txt", old.String())
	p.s.write("reviewer", agent, "plan.txt", now.String())
	p.visit("/a/" + agent + "/files/plan.txt")
	p.find("navigation", "Views of the file").in("link", "Compare").follow()
	p.see("+2 −2 lines", "and one more", "Show 28 equal lines")
	if got := evaluate[[]string](p.tab, "[...document.querySelectorAll('ins, del, mark')].map(e => e.textContent.trim())"); !strings.Contains(strings.Join(got, "|"), "agreed") {
		p.t.Errorf("marked words are %q, want agreed", got)
	}
	p.review("compare-unified")
	p.follow("link", "Side by side")
	p.see("line 5 of the agreed plan stays")
	p.review("compare-split")
	p.follow("link", "All lines")
	p.see("line 22 of the plan stays")
	p.follow("link", "Unified")
	p.choose("From", "Version 1")
	p.choose("To", "Version 2")
	p.follow("button", "Compare")
	p.see("+60 −1 lines")
	p.follow("link", "Newer change")
	p.see("+2 −2 lines")
}

// edit makes a file, changes it and saves it.
func (p *tour) edit() {
	const agent = "edited"
	p.s.write("claude-code", agent, "plan.md", "\n\r\nkept\r\nas it is")
	p.visit("/a/" + agent)
	p.follow("link", "New file")
	p.review("new")
	p.fill("textbox", "Path", "../up")
	p.fill("textbox", "Text", "one\ntwo\n")
	p.expect("status: 400")
	p.follow("button", "Create")
	p.review("new-refused")
	if got := p.find("textbox", "Text").value(); got != "one\ntwo\n" {
		p.t.Errorf("after a refusal the text is %q", got)
	}
	p.fill("textbox", "Path", "notes/new.txt")
	p.follow("button", "Create")
	p.see("one", "two", "Version 1 by scratchpad console")
	p.follow("link", "Edit")
	p.review("edit")
	p.fill("textbox", "Text", "one\ntwo\nthree\n")
	p.follow("button", "Save")
	p.see("Version 2 by scratchpad console", "three")
	if got := p.s.run("files", "cat", "notes/new.txt", "--agent", agent); got != "one\ntwo\nthree\n" {
		p.t.Errorf("saved %q", got)
	}
	p.follow("link", "Edit")
	p.follow("link", "Cancel")
	p.see("Version 2 by scratchpad console")
}

// Two people and an agent edit one file. Nobody's text is lost.
func (p *tour) conflict() {
	const agent, path = "shared", "plan.txt"
	p.s.write("claude-code", agent, path, "title\n\nbody\n\nend\n")
	other := p.another()
	for _, q := range []*tab{p.tab, other} {
		q.visit("/a/" + agent + "/files/" + path + "?view=edit")
	}
	p.s.write("claude-code", agent, path, "title of the agent\n\nbody\n\nend\n")
	for _, q := range []*tab{p.tab, other} {
		q.see("Somebody has written version 2") // which moves the button Save
	}
	other.fill("textbox", "Text", "title\n\nbody\n\nend of Bob\n")
	other.expect("status: 409")
	other.follow("button", "Save")
	other.see("title of the agent")
	other.review("conflict")
	other.fill("textbox", "Yours, not saved", "title of the agent\n\nbody\n\nend of Bob\n")
	other.follow("button", "Save over version 2")
	other.see("Version 3 by scratchpad console")

	p.see("Somebody has written version 3")
	p.fill("textbox", "Text", "title\n\nbody of Ada\n\nend\n")
	p.tab.expect("status: 409")
	p.follow("button", "Save")
	p.see("end of Bob")
	if got := p.find("textbox", "Yours, not saved").value(); got != "title\n\nbody of Ada\n\nend\n" {
		p.t.Errorf("after a conflict the field has %q", got)
	}
	p.fill("textbox", "Yours, not saved", "title of the agent\n\nbody of Ada\n\nend of Bob\n")
	p.follow("button", "Save over version 3")
	p.see("Version 4 by scratchpad console")
	if got := p.s.run("files", "cat", path, "--agent", agent); got != "title of the agent\n\nbody of Ada\n\nend of Bob\n" {
		p.t.Errorf("in the end the file is %q", got)
	}
}

// change restores, moves and deletes a file.
func (p *tour) change() {
	const agent = "changed"
	p.s.write("claude-code", agent, "plan.txt", "the first\n")
	p.s.write("claude-code", agent, "plan.txt", "the second\n")
	p.s.write("claude-code", agent, "taken.txt", "taken\n")
	p.visit("/a/" + agent + "/files/plan.txt?v=1")
	p.follow("button", "Restore version 1")
	p.see("Version 3 by scratchpad console", "the first")
	p.follow("link", "Move")
	p.review("move")
	p.fill("textbox", "New path", "taken.txt")
	p.tab.expect("status: 409")
	p.follow("button", "Move")
	p.see("There is a file at this path")
	p.review("move-refused")
	p.fill("textbox", "New path", "kept/plan.txt")
	p.follow("button", "Move")
	p.find("heading", "kept/plan.txt")
	p.see("the first")
	p.follow("link", "Delete")
	p.see("Delete kept/plan.txt?", "This goes, and cannot be brought back", "kept versions")
	p.review("delete")
	p.follow("link", "Cancel")
	p.follow("link", "Delete")
	p.follow("button", "Delete kept/plan.txt")
	p.find("heading", agent)
	p.see("Delete kept/plan.txt")
	if got := p.s.run("files", "ls", "--agent", agent); strings.Contains(got, "plan.txt") {
		p.t.Errorf("the file that was deleted is there: %s", got)
	}
}
