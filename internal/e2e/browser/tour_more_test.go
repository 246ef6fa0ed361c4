package browser

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// log reads a log back to its beginning, looks for entries, and trims it.
func (p *tour) log() {
	const agent = "logger"
	for i := 1; i <= 250; i++ {
		p.s.append([]string{"nightly", "claude-code"}[i%2], agent, "runs/main", entry(i))
	}
	p.s.append("nightly", agent, "runs/main", "A long report:\n"+strings.Repeat("one more line of the report\n", 40)+"the very end")
	p.visit("/a/" + agent)
	p.find("region", "Logs").in("link", "runs/main").follow()
	p.see("#251", "A long report", "more line")
	p.review("log")
	log := p.tab
	for range 6 { // as one scrolls
		p.press("End")
		p.see("#" + fmt.Sprint(evaluate[int](p.tab, "Number(document.querySelector('#entries > :last-child').dataset.key)")))
		if strings.Contains(p.text(), "#1 ") {
			break
		}
		p.wait(time.Second, func() bool { return strings.Contains(p.text(), "#1 ") })
	}
	log.checkEntries(251)
	p.see("This is the first entry.")
	p.press("Home")
	p.wait(patience, func() bool { return evaluate[float64](p.tab, "scrollY") == 0 })

	p.fill("searchbox", "Text", "run 77 ")
	p.follow("button", "Find")
	p.see(entry(77), "Looked at all entries")
	p.review("log-found")
	p.follow("link", "All entries")
	p.fill("searchbox", "Author", "claude-code")
	p.follow("button", "Find")
	p.see("#249", entry(249))
	p.gone("#250")
	p.visit("/a/" + agent + "/logs/runs/main?before=50")
	p.see("#49")
	p.gone("#50")
	p.follow("link", "Newest")
	p.follow("link", "Trim")
	p.review("log-trim")
	p.fill("textbox", "Delete the entries through number", "200")
	p.follow("button", "Count them")
	p.see("200 entries of 251 go", entry(200), entry(201))
	p.review("log-trim-sure")
	p.follow("button", "Trim 200 entries")
	p.see("#251", "#201")
	log.wait(patience, func() bool { return !strings.Contains(p.text(), "#200") })
	p.gone("#200")
	p.follow("link", "Delete")
	p.see("All 51 entries go")
	p.review("log-delete")
	p.follow("button", "Delete 51 entries")
	p.find("heading", agent)
	p.see("There are no logs.")
	p.tab.expect("status: 404")
	p.visit("/a/" + agent + "/logs/runs/main")
	p.see("This log was deleted. Its last entry was #251.")
	p.review("log-gone")
}

// search looks for words in an agent's memory and in that of all.
func (p *tour) search() {
	for _, agent := range []string{"searched-1", "searched-2"} {
		p.s.write("claude-code", agent, "notes/quokka.md", "# Quokka\n\nThe quokka retries after a timeout.\n")
		p.s.append("nightly", agent, "sightings", "a quokka was seen by <b>"+agent+"</b>")
	}
	p.visit("/a/searched-1/search")
	p.review("search-empty")
	p.find("main", "").in("searchbox", "Search").click()
	p.write("quokka")
	p.enter()
	p.see("notes/quokka.md", "The quokka retries", "a quokka was seen by <b>searched-1</b>")
	p.gone("searched-2")
	p.review("search")
	p.follow("link", "notes/quokka.md")
	p.find("heading", "notes/quokka.md")
	p.find("navigation", "Parts").in("link", "Search").follow()
	p.fill("searchbox", "Search", "quokka")
	p.enter()
	p.see("searched-1 / notes/quokka.md", "searched-2 / notes/quokka.md", "4 passages.")
	p.review("search-all")
	p.choose("Look for", "Regular expression")
	p.fill("searchbox", "Search", "quokk(a")
	p.tab.expect("status: 400")
	p.follow("button", "Search")
	p.review("search-wrong")
	p.fill("searchbox", "Search", "nothing-has-this")
	p.follow("button", "Search")
	p.see("Nothing has “nothing-has-this”")
	p.review("search-nothing")
}

// summaries shows those of long files.
func (p *tour) summaries() {
	const agent = "summed"
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "## Part %d\n\nThe part %d of the plan is about a matter of some weight.\n\n", i, i)
	}
	p.visit("/a/" + agent + "/summaries")
	p.see("No file has a summary")
	p.review("summaries-none")
	p.s.write("claude-code", agent, "long.md", text.String())
	p.s.call("claude-code", "summarize_file", object{"agent_id": agent, "path": "long.md"})
	p.visit("/a/" + agent + "/summaries")
	p.see("long.md", "outline", "Spent in")
	p.review("summaries")
	p.follow("link", "long.md")
	p.see("Part 1")
	p.review("summary")
}

// keys makes a key, uses it, gives it a new secret, and revokes it.
func (p *tour) keys() {
	p.visit("/keys")
	p.see("Ada", "yours")
	p.click("link", "New key")
	p.fill("textbox", "Name", "laptop")
	p.fill("textbox", "Agents", "team-* planner")
	p.follow("button", "Create key")
	p.see("The key laptop, shown this once")
	p.review("key-once")
	secret := evaluate[string](p.tab, "document.querySelector('#key').textContent")
	if !regexp.MustCompile(`^sp_\S{20,}$`).MatchString(secret) {
		p.t.Errorf("the new key is %q", secret)
	}
	if got := p.find("region", "The key laptop, shown this once").in("button", "Copy").copied(); got != secret {
		p.t.Errorf("copied %q, want the key", got)
	}
	p.reload() // sends the form again
	if p.text() == "" || strings.Contains(p.text(), secret) {
		p.t.Errorf("after a reload the page shows %q", p.text())
	}
	guest := signIn(p.t, p.origin, secret, view{})
	guest.none("link", "Keys")
	guest.expect("status: 403")
	guest.visit("/keys")
	guest.review("not-allowed")
	p.visit("/keys")
	p.see("laptop", "team-*")
	if !evaluate[bool](p.tab, "getComputedStyle(document.querySelector('.tbl')).display === 'table' || innerWidth < 600") {
		p.t.Error("the keys are not in a table")
	}
	p.review("keys")
	p.follow("link", "Rotate laptop")
	p.review("key-rotate")
	p.follow("button", "Rotate key")
	p.see("shown this once")
	p.gone(secret)
	p.visit("/keys")
	p.follow("link", "Revoke laptop")
	p.see("Revoke the key laptop?")
	p.review("key-revoke")
	p.follow("button", "Revoke key")
	p.see("Revoked just now")
	p.none("link", "Revoke laptop")
}

// health looks at how the server does.
func (p *tour) health() {
	p.visit("/health")
	p.see("Checks", "Counts", "Versions")
	p.review("health")
}
