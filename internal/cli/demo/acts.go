package demo

import (
	"errors"
	"fmt"
	"strings"
)

// A call is one of a tool that the demo shows.
type call struct {
	title, tool string
	args        arguments
	whole       string // what an agent would read without Scratchpad; "": the answer itself
	has         string // is in the answer
	fails       bool   // the answer is an error
}

type arguments = map[string]any

// checks is how many entries the log has before the one that matters.
const checks = 60

// file plays with a plan: the agent writes it, changes it and asks for it again.
func (d *session) file() error {
	text := plan()
	task := "- [ ] T-042 "
	changed := strings.Replace(text, task, "- [x] T-042 ", 1)
	return d.play(
		call{title: "An agent keeps its plan in a file.", tool: "write_file",
			args: arguments{"path": "plan.md", "content": text}},
		call{title: "A task is done. The agent sends the change, not the file.", tool: "edit_file",
			args: arguments{"path": "plan.md", "old_text": task, "new_text": "- [x] T-042 "}},
		call{title: "Later it asks: what has changed since version 1?", tool: "read_file",
			args: arguments{"path": "plan.md", "since_version": 1}, whole: changed},
		call{title: "It reads only a part.", tool: "read_file",
			args: arguments{"path": "plan.md", "from_line": 40, "to_line": 44}, whole: changed})
}

// log plays with a log that grows: the agent reads only the new entries. Then it makes a mistake,
// and the error says the way out.
func (d *session) log() error {
	for i := range checks {
		if err := d.quiet(d.client, "append_log", arguments{"path": "checks", "entry": entry(i)}); err != nil {
			return err
		}
	}
	return d.play(
		call{title: fmt.Sprintf("It notes in a log what it sees: %d entries, and one more.", checks),
			tool: "append_log", args: arguments{"path": "checks", "entry": entry(checks)}},
		call{title: fmt.Sprintf("It has read up to entry %d. What is new?", checks), tool: "read_log",
			args: arguments{"path": "checks", "since_entry": checks}, whole: log()},
		call{title: "The answer to a mistake says the way out.", tool: "edit_file", fails: true,
			args: arguments{"path": "plan.md", "old_text": "- [ ] T-043 Rewrite the login pages",
				"new_text": "- [x] T-043 Rewrite the login pages"}})
}

// kill ends the server at once and starts another one.
func (d *session) kill() error {
	if err := d.server.Process.Kill(); err != nil {
		return err
	}
	d.client.Close() // its error says that the server is gone
	if err := d.start(); err != nil {
		return err
	}
	return d.play(call{title: "The server is killed and started again. What it acknowledged is still there.",
		tool: "read_file", args: arguments{"path": "plan.md", "since_version": 2}, whole: plan(),
		has: `"unchanged":true`})
}

// comeBack plays an agent that returns after another client has worked on its memory.
func (d *session) comeBack() error {
	const cursor = 2 + checks + 1 // the writes so far
	err := d.play(call{title: "What does it keep? It notes the cursor, which is the number of the last change.",
		tool: "changes", args: arguments{}, has: fmt.Sprintf(`"cursor":%d`, cursor)})
	if err != nil {
		return err
	}
	if err := d.colleague(); err != nil {
		return err
	}
	whole := plan() + log()
	return d.play(
		call{title: "Meanwhile another client works on the same memory. The agent comes back: what has changed?",
			tool: "changes", args: arguments{"since": cursor, "diffs": true}, whole: whole, has: "+- [x] T-043"},
		call{title: "Where did requests fail?", tool: "search",
			args: arguments{"query": "requests failed -none", "limit": 2}, whole: whole, has: "checks#61"})
}

// colleague writes with a client and a server of its own.
func (d *session) colleague() error {
	_, session, err := d.connect("colleague")
	if err != nil {
		return err
	}
	return errors.Join(
		d.quiet(session, "edit_file", arguments{"path": "plan.md", "old_text": "- [ ] T-043",
			"new_text": "- [x] T-043"}),
		d.quiet(session, "append_log", arguments{"path": "checks", "entry": "web-07 has a new disk"}),
		session.Close())
}

// entry returns entry i+1 of the log.
func entry(i int) string {
	if i == checks {
		return "checked host web-07: 9 of 6220 requests failed, see plan.md"
	}
	return fmt.Sprintf("checked host web-%02d: %d requests, none failed", i%12, 4000+i*37)
}

// log returns the log as read_log shows its entries.
func log() string {
	var all strings.Builder
	for i := range checks + 1 {
		fmt.Fprintf(&all, "[%d,%d,%q]\n", i+1, 0, entry(i))
	}
	return all.String()
}

// plan returns a plan of 90 tasks.
func plan() string {
	verbs := []string{"Move", "Check", "Rewrite", "Measure", "Document"}
	things := []string{"the invoices table", "the login page", "the nightly export", "the retry of failed mails",
		"the search index", "the audit trail", "the price rounding"}
	owners := []string{"Ada", "Grace", "Edsger", "Barbara"}
	var b strings.Builder
	b.WriteString("# Plan for the move\n")
	for i := range 90 {
		if i%15 == 0 {
			fmt.Fprintf(&b, "\n## Week %d\n\n", i/15+1)
		}
		fmt.Fprintf(&b, "- [ ] T-%03d %s %s, with %s, by day %d\n", i+1, verbs[i%len(verbs)], things[i%len(things)],
			owners[i%len(owners)], i+3)
	}
	return b.String()
}
