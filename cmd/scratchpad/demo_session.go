package main

import (
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// file plays with a plan: the agent writes it, changes it and asks for it again.
func (d *demo) file() error {
	plan := demoPlan()
	task := "- [ ] T-042 "
	changed := strings.Replace(plan, task, "- [x] T-042 ", 1)
	for _, c := range []struct {
		title, tool string
		args        map[string]any
		whole       string
	}{
		{"An agent keeps its plan in a file.", "write_file", map[string]any{"path": "plan.md", "content": plan}, ""},
		{"A task is done. The agent sends the change, not the file.", "edit_file", map[string]any{"path": "plan.md", "old_text": task, "new_text": "- [x] T-042 "}, ""},
		{"Later it asks: what has changed since version 1?", "read_file", map[string]any{"path": "plan.md", "since_version": 1}, changed},
		{"And since version 2?", "read_file", map[string]any{"path": "plan.md", "since_version": 2}, changed},
		{"It reads only a part.", "read_file", map[string]any{"path": "plan.md", "from_line": 40, "to_line": 44}, changed},
	} {
		if err := d.call(c.title, c.tool, c.args, c.whole); err != nil {
			return err
		}
	}
	return nil
}

// log plays with a log that grows: the agent reads only the new entries.
func (d *demo) log() error {
	const before = 60
	var all strings.Builder
	entry := func(i int) string {
		return fmt.Sprintf("checked host web-%02d: %d requests, none failed", i%12, 4000+i*37)
	}
	for i := range before {
		fmt.Fprintf(&all, "[%d,%d,%q]\n", i+1, 0, entry(i))
		res, err := d.session.CallTool(d.p.ctx, &mcp.CallToolParams{Name: "append_log", Arguments: map[string]any{"path": "checks", "entry": entry(i)}})
		if err != nil {
			return err
		}
		if res.IsError {
			return fmt.Errorf("demo: append_log: %s", strings.Join(textBlocks(res), " "))
		}
	}
	last := fmt.Sprintf("checked host web-07: 9 of 6220 requests failed, see %s", "plan.md")
	fmt.Fprintf(&all, "[%d,%d,%q]\n", before+1, 0, last)
	for _, c := range []struct {
		title, tool string
		args        map[string]any
		whole       string
	}{
		{fmt.Sprintf("It notes in a log what it sees: %d entries, and one more.", before), "append_log", map[string]any{"path": "checks", "entry": last}, ""},
		{fmt.Sprintf("It has read up to entry %d. What is new?", before), "read_log", map[string]any{"path": "checks", "since_entry": before}, all.String()},
		{"It can read from the beginning, in pages. The next page is since_entry 5.", "read_log", map[string]any{"path": "checks", "limit": 5}, ""},
		{"Which files does it keep?", "list_files", map[string]any{}, ""},
	} {
		if err := d.call(c.title, c.tool, c.args, c.whole); err != nil {
			return err
		}
	}
	return nil
}

// mistake plays an error that says the way out.
func (d *demo) mistake() error {
	isError, err := d.play("The answer to a mistake says the way out.", "edit_file",
		map[string]any{"path": "plan.md", "old_text": "- [ ] T-043 Rewrite the login pages", "new_text": "- [x] T-043 Rewrite the login pages"}, "")
	if err == nil && !isError {
		err = d.unexpected()
	}
	return err
}

// kill ends the server at once and starts another one.
func (d *demo) kill() error {
	if err := d.server.Process.Kill(); err != nil {
		return err
	}
	d.session.Close() // its error says that the server is gone
	if err := d.start(); err != nil {
		return err
	}
	err := d.call("The server is killed and started again. What it acknowledged is still there.", "read_file",
		map[string]any{"path": "plan.md", "since_version": 2}, demoPlan())
	if err == nil && !strings.Contains(strings.Join(d.steps[len(d.steps)-1].Answer, ""), `"unchanged":true`) {
		err = d.unexpected()
	}
	return err
}

// demoPlan returns a plan of 90 tasks.
func demoPlan() string {
	verbs := []string{"Move", "Check", "Rewrite", "Measure", "Document"}
	things := []string{"the invoices table", "the login page", "the nightly export", "the retry of failed mails", "the search index", "the audit trail", "the price rounding"}
	owners := []string{"Ada", "Grace", "Edsger", "Barbara"}
	var b strings.Builder
	b.WriteString("# Plan for the move\n")
	for i := range 90 {
		if i%15 == 0 {
			fmt.Fprintf(&b, "\n## Week %d\n\n", i/15+1)
		}
		fmt.Fprintf(&b, "- [ ] T-%03d %s %s, with %s, by day %d\n", i+1, verbs[i%len(verbs)], things[i%len(things)], owners[i%len(owners)], i+3)
	}
	return b.String()
}
