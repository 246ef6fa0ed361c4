package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// file plays with a plan: the agent writes it, changes it and asks for it again.
func (d *session) file() error {
	text := plan()
	task := "- [ ] T-042 "
	changed := strings.Replace(text, task, "- [x] T-042 ", 1)
	for _, c := range []struct {
		title, tool string
		args        map[string]any
		whole       string
	}{
		{"An agent keeps its plan in a file.", "write_file", map[string]any{"path": "plan.md", "content": text}, ""},
		{"A task is done. The agent sends the change, not the file.", "edit_file",
			map[string]any{"path": "plan.md", "old_text": task, "new_text": "- [x] T-042 "}, ""},
		{"Later it asks: what has changed since version 1?", "read_file",
			map[string]any{"path": "plan.md", "since_version": 1}, changed},
		{"It reads only a part.", "read_file", map[string]any{"path": "plan.md", "from_line": 40, "to_line": 44},
			changed},
	} {
		if err := d.expect("", c.title, c.tool, c.args, c.whole); err != nil {
			return err
		}
	}
	return nil
}

// checks is how many entries the log has before the one that matters.
const checks = 60

// log plays with a log that grows: the agent reads only the new entries.
func (d *session) log() error {
	for i := range checks {
		if err := d.quiet(d.client, "append_log", map[string]any{"path": "checks", "entry": entry(i)}); err != nil {
			return err
		}
	}
	if err := d.expect("", fmt.Sprintf("It notes in a log what it sees: %d entries, and one more.", checks),
		"append_log",
		map[string]any{"path": "checks", "entry": entry(checks)}, ""); err != nil {
		return err
	}
	return d.expect("", fmt.Sprintf("It has read up to entry %d. What is new?", checks), "read_log",
		map[string]any{"path": "checks", "since_entry": checks}, log())
}

// mistake plays an error that says the way out.
func (d *session) mistake() error {
	isError, err := d.play("The answer to a mistake says the way out.", "edit_file",
		map[string]any{"path": "plan.md", "old_text": "- [ ] T-043 Rewrite the login pages",
			"new_text": "- [x] T-043 Rewrite the login pages"}, "")
	if err == nil && !isError {
		err = d.unexpected()
	}
	return err
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
	return d.expect(`"unchanged":true`, "The server is killed and started again. What it acknowledged is still there.",
		"read_file",
		map[string]any{"path": "plan.md", "since_version": 2}, plan())
}

// comeBack plays an agent that returns after another client has worked on its memory.
func (d *session) comeBack() error {
	err := d.expect(`"cursor":`, "What does it keep? It notes the cursor, which is the number of the last change.",
		"changes", map[string]any{}, "")
	if err != nil {
		return err
	}
	var record struct{ Cursor int64 }
	if err := json.Unmarshal([]byte(d.report.Steps[len(d.report.Steps)-1].Answer[0]), &record); err != nil {
		return err
	}
	if err := d.colleague(); err != nil {
		return err
	}
	whole := plan() + log()
	if err := d.expect("+- [x] T-043", "Meanwhile another client works on the same memory. The agent comes back: "+
		"what has changed?", "changes",
		map[string]any{"since": record.Cursor, "diffs": true}, whole); err != nil {
		return err
	}
	return d.expect("checks#61", "Where did requests fail?", "search",
		map[string]any{"query": "requests failed -none", "limit": 2}, whole)
}

// colleague writes with a client and a server of its own.
func (d *session) colleague() error {
	_, session, err := d.connect("colleague")
	if err != nil {
		return err
	}
	err = d.quiet(session, "edit_file", map[string]any{"path": "plan.md", "old_text": "- [ ] T-043",
		"new_text": "- [x] T-043"})
	if err == nil {
		err = d.quiet(session, "append_log", map[string]any{"path": "checks", "entry": "web-07 has a new disk"})
	}
	return errors.Join(err, session.Close())
}

// expect plays a call that must succeed, and whose answer must contain a text.
func (d *session) expect(text, title, tool string, args map[string]any, whole string) error {
	isError, err := d.play(title, tool, args, whole)
	if err == nil && (isError || !strings.Contains(strings.Join(d.report.Steps[len(d.report.Steps)-1].Answer, ""),
		text)) {
		err = d.unexpected()
	}
	return err
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
