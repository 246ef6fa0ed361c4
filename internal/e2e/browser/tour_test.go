package browser

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A stop is a page of the console. A stop with a status is refused with that status.
type stop struct{ name, path, see, status string }

// tours are all pages of the console and the states of each, for people who may do everything.
var tours = map[string][]stop{
	"Agents": {
		{name: "agents", path: "/?order=name&q=crawler", see: "crawler-49"},
		{name: "agents-none", path: "/?q=nobody", see: "No agent has nobody in its name."},
		{name: "agent", path: "/a/planner", see: "notes/week-1.md → notes/first-week.md"},
		{name: "agent-filtered", path: "/a/planner?q=/src/&deleted=notes/old/2019.txt", see: "1 of 8 files"},
		{name: "agent-empty", path: "/a/nobody-yet", see: "This agent has stored nothing yet"},
		{name: "changes", path: "/a/planner/changes", see: "Append runs/main 250 entries, 1 to 250"},
		{name: "changes-logs", path: "/a/planner/changes?kind=log&author=nightly", see: "Append gone"},
		{name: "changes-found", path: "/a/planner/changes?prefix=notes/", see: "Delete notes/old/2019.txt"},
	},
	"Files": {
		{name: "file-rendered", path: "/a/planner/files/plan.md", see: "Release plan"},
		{name: "file-source", path: "/a/planner/files/plan.md?view=source", see: "**version 2**"},
		{name: "file-version", path: "/a/planner/files/plan.md?v=1", see: "This is version 1. The newest is version 2."},
		{name: "file-empty", path: "/a/planner/files/empty.txt", see: "The file is empty."},
		{name: "file-long", path: "/a/planner/files/long.txt?from=2001", see: "Lines 2001 to 4000 of 4500"},
		{name: "not-found", path: "/a/planner/files/none.md", see: "there is no such file", status: "404"},
		{name: "new", path: "/a/planner/new", see: "Create"},
		{name: "edit", path: "/a/planner/files/plan.txt?view=edit", see: "Save"},
		{name: "move", path: "/a/planner/files/plan.txt?view=move", see: "New path"},
		{name: "file-wide", path: "/a/planner/files/wide.md", see: "cell 3 200"},
		{name: "file-deleted", path: "/a/planner/files/notes/old/2019.txt?v=1", see: "The file was deleted."},
		{name: "not-found-deleted", path: "/a/planner/files/notes/old/2019.txt", see: "Deleted files", status: "404"},
		{name: "delete", path: "/a/planner/files/plan.txt?view=delete", see: "This goes, and can be restored"},
	},
	"Compare": {
		{name: "compare-unified", path: "/a/planner/files/plan.txt?diff=1..2", see: "Show 28 equal lines"},
		{name: "compare-split", path: "/a/planner/files/plan.txt?diff=1..2&as=split&context=all", see: "line 22 of the plan stays"},
	},
	"Logs": {
		{name: "log", path: "/a/planner/logs/runs/main", see: entry(250)},
		{name: "log-found", path: "/a/planner/logs/runs/main?q=run+77+", see: "Looked at all entries"},
		{name: "log-trim", path: "/a/planner/logs/runs/main?view=trim", see: "Delete the entries through number"},
		{name: "log-delete", path: "/a/planner/logs/runs/main?view=delete", see: "All 250 entries go"},
		{name: "log-gone", path: "/a/planner/logs/gone", see: "This log was deleted. Its last entry was #1.", status: "404"},
	},
	"Search": {
		{name: "search-empty", path: "/a/searched-1/search", see: "passages with any of the words"},
		{name: "search", path: "/a/searched-1/search?q=quokka", see: "a quokka was seen by <b>searched-1</b>"},
		{name: "search-all", path: "/search?q=quokka", see: "4 passages."},
		{name: "search-wrong", path: "/search?q=quokk(a&as=regexp", see: "quokk(a", status: "400"},
		{name: "search-nothing", path: "/search?q=zzyzx", see: "Nothing has “zzyzx”"},
	},
	"Server": {
		{name: "summaries-none", path: "/a/searched-1/summaries", see: "No file has a summary"},
		{name: "summaries", path: "/a/planner/summaries", see: "Spent in"},
		{name: "health", path: "/health", see: "Written in the last hour"},
		{name: "nothing-here", path: "/nothing", see: "Agents", status: "404"},
	},
}

// A person looks at each page, in both widths and both themes.
func TestTour(t *testing.T) {
	s := newServer(t)
	s.remember()
	key := s.newKey(everything, "--name", "Ada")
	for name, stops := range tours {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := signIn(t, s.origin, key, view{})
			for _, stop := range stops {
				if stop.status != "" {
					p.expect("status: " + stop.status)
				}
				p.visit(stop.path)
				p.see(stop.see)
				p.review(stop.name)
			}
		})
	}
}

const everything = "read,write,admin,metrics" // the scopes of a key for everything

// remember stores what the tours look at.
func (s *server) remember() {
	const agent = "planner"
	s.together(60, func(i int) error {
		return s.try("crawler", "write_file", object{"agent_id": fmt.Sprintf("crawler-%02d", i), "path": "seen.md", "content": strings.Repeat("x", 100*i+1)})
	})
	for _, path := range []string{"plan.md", "notes/week-1.md", "notes/old/2019.txt", "src/deep/er/still/main.go"} {
		s.write("claude-code", agent, path, "# "+path+"\n")
	}
	s.write("reviewer", agent, "plan.md", markdownText)
	s.write("crawler", agent, "wide.md", wideTable())
	s.write("crawler", agent, "empty.txt", "")
	s.write("crawler", agent, "long.txt", strings.Repeat("a line\n", 4500))
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
	s.write("claude-code", agent, "plan.txt", old.String())
	s.write("reviewer", agent, "plan.txt", now.String())
	s.write("claude-code", agent, "summed.md", strings.Repeat("## A part\n\nThe part of the plan is about a matter of some weight.\n\n", 400))
	s.call("claude-code", "summarize_file", object{"agent_id": agent, "path": "summed.md"})
	s.together(250, func(i int) error {
		return s.try("nightly", "append_log", object{"agent_id": agent, "path": "runs/main", "entry": entry(i + 1)})
	})
	s.append("nightly", agent, "runs/1", "run")
	s.append("nightly", agent, "gone", "run")
	s.call("claude-code", "delete_log", object{"agent_id": agent, "path": "gone"})
	s.call("claude-code", "move_file", object{"agent_id": agent, "path": "notes/week-1.md", "new_path": "notes/first-week.md"})
	s.call("claude-code", "delete_file", object{"agent_id": agent, "path": "notes/old/2019.txt"})
	for _, agent := range []string{"searched-1", "searched-2"} {
		s.write("claude-code", agent, "notes/quokka.md", "# Quokka\n\nThe quokka retries after a timeout.\n")
		s.append("nightly", agent, "sightings", "a quokka was seen by <b>"+agent+"</b>")
	}
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

// wideTable is Markdown with a table of 200 columns, and one with long words.
func wideTable() string {
	var b strings.Builder
	b.WriteString("---\ntitle: Wide\n---\n\nSee below[^1].\n\n[^1]: A note.\n\n| Who | What |\n|-|-:|\n| Internationalization_of_everything_at_once | 12345678901234567890 |\n\n")
	for row := range 4 {
		for column := range 200 {
			if row == 1 {
				b.WriteString("|-")
			} else {
				fmt.Fprintf(&b, "| cell %d %d ", row, column+1)
			}
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// A person copies and downloads a file, and makes, moves and deletes one.
func TestChangingFiles(t *testing.T) {
	t.Parallel()
	const agent, hidden = "reader", "total = 0\r\nif admin {\u202e \u2066// only\u2069\n\tx := \"a\u00a0b\u200b\"\x1b[31m\n"
	s := newServer(t)
	s.write("crawler", agent, "odd.txt", hidden+strings.Repeat("long ", 100))
	s.write("crawler", agent, "odd.txt", hidden)
	p := signIn(t, s.origin, s.newKey(everything, "--name", "Ada"), view{})
	p.visit("/a/" + agent + "/files/odd.txt")
	p.see("U+202E", "U+200B", "U+001B")
	p.review("file-marks")
	if got := p.find("button", "Copy").copied(); got != hidden {
		t.Errorf("copied %q, want %q", got, hidden)
	}
	if name, got := p.find("link", "Download").download(); name != "odd.txt" || string(got) != hidden {
		t.Errorf("downloaded %q %q, want odd.txt %q", name, got, hidden)
	}
	p.visit("/a/" + agent)
	p.follow("link", "New file")
	p.fill("textbox", "Path", "../up")
	p.fill("textbox", "Text", "one\ntwo\n")
	p.expect("status: 400")
	p.follow("button", "Create")
	p.review("new-refused")
	p.fill("textbox", "Path", "notes/new.txt")
	p.follow("button", "Create")
	p.see("one", "two", "Version 1 by scratchpad console")
	p.follow("link", "Move")
	p.fill("textbox", "New path", "odd.txt")
	p.expect("status: 409")
	p.follow("button", "Move")
	p.see("There is a file at this path")
	p.review("move-refused")
	p.fill("textbox", "New path", "kept/plan.txt")
	p.follow("button", "Move")
	p.find("heading", "kept/plan.txt")
	p.follow("button", "Delete")
	p.see("Deleted kept/plan.txt. It can be restored until")
	p.review("deleted")
	p.follow("button", "Undo")
	p.see("Version 3 by scratchpad console")
}

// Two people and an agent edit one file. Nobody's text is lost.
func TestNobodysTextIsOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := signIn(t, s.origin, s.newKey(everything, "--name", "Ada"), view{})
	const agent, path = "shared", "plan.txt"
	s.write("claude-code", agent, path, "title\n\nbody\n\nend\n")
	other := p.another()
	for _, q := range []*tab{p, other} {
		q.visit("/a/" + agent + "/files/" + path + "?view=edit")
	}
	s.write("claude-code", agent, path, "title of the agent\n\nbody\n\nend\n")
	for _, q := range []*tab{p, other} {
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
	p.expect("status: 409")
	p.follow("button", "Save")
	p.see("end of Bob")
	if got := p.find("textbox", "Yours, not saved").value(); got != "title\n\nbody of Ada\n\nend\n" {
		t.Errorf("after a conflict the field has %q", got)
	}
	p.fill("textbox", "Yours, not saved", "title of the agent\n\nbody of Ada\n\nend of Bob\n")
	p.follow("button", "Save over version 3")
	p.see("Version 4 by scratchpad console")
	if got := s.run("files", "cat", path, "--agent", agent); got != "title of the agent\n\nbody of Ada\n\nend of Bob\n" {
		t.Errorf("in the end the file is %q", got)
	}
}

// A person makes a key, copies it, and finds what changes it.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := signIn(t, s.origin, s.newKey(everything, "--name", "Ada"), view{})
	p.visit("/keys")
	p.see("Ada", "yours")
	p.fill("textbox", "Name", "laptop")
	p.fill("textbox", "Agents", "team-* planner")
	p.follow("button", "Create key")
	p.review("key-once")
	secret := evaluate[string](p, "document.querySelector('#key').textContent")
	if got := p.find("region", "The key laptop, shown this once").in("button", "Copy").copied(); got != secret || !regexp.MustCompile(`^sp_\S{20,}$`).MatchString(secret) {
		t.Errorf("the new key is %q, and %q is copied", secret, got)
	}
	p.expect("status: 409")
	p.reload() // sends the form again
	if p.text() == "" || strings.Contains(p.text(), secret) {
		t.Errorf("after a reload the page shows %q", p.text())
	}
	guest := signIn(t, p.origin, secret, view{})
	guest.none("link", "Keys")
	guest.expect("status: 403")
	guest.visit("/keys")
	guest.review("not-allowed")
	p.visit("/keys")
	p.see("laptop", "team-*")
	p.review("keys")
	p.follow("link", "Rotate laptop")
	p.review("key-rotate")
	p.visit("/keys")
	p.follow("link", "Revoke laptop")
	p.review("key-revoke")
}
