package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/fatih/color"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

type demoCommand struct{}

// Help is shown by scratchpad demo --help.
func (demoCommand) Help() string {
	return `Starts scratchpad mcp on a database of its own, which is removed afterwards, and plays a short session of an agent through an MCP client. Each call is shown with its answer and with about how many tokens a model reads for it, beside what reading all again would cost.

  scratchpad demo
  scratchpad demo --json`
}

// Run plays the session. It changes nothing of the user's.
func (demoCommand) Run(p *process, k *kong.Context) (err error) {
	dir, err := os.MkdirTemp("", "scratchpad-demo-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &demo{p: p, db: filepath.Join(dir, "demo.db"), env: unconfigured(k.Model, os.Environ())}
	if err := d.start(); err != nil {
		return err
	}
	defer func() { d.session.Close() }()
	for _, act := range []func() error{d.file, d.log, d.mistake, d.kill} {
		if err := act(); err != nil {
			return err
		}
	}
	return d.close()
}

// demo is one session of an agent with a server that is a process of its own.
type demo struct {
	p       *process
	db      string
	env     []string // of the server
	server  *exec.Cmd
	session *mcp.ClientSession
	steps   []step

	read, whole int // tokens in all: of the answers, and of reading all again instead
}

// step is a call as it is shown.
type step struct {
	Title     string         `json:"title"`
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Answer    []string       `json:"answer"`
	Tokens    int            `json:"tokens"`
	Whole     int            `json:"tokens_of_reading_all,omitempty"` // 0: there is nothing to compare with
}

// unconfigured is an environment without the variables of flags: the session is
// the same for everybody.
func unconfigured(model *kong.Application, env []string) (left []string) {
	flags := map[string]bool{}
	visit := func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok {
			for _, name := range f.Envs {
				flags[name] = true
			}
		}
		return next(nil)
	}
	if err := kong.Visit(model, visit); err != nil {
		panic(err) // visit has no error
	}
	for _, variable := range env {
		if name, _, _ := strings.Cut(variable, "="); !flags[strings.ToUpper(name)] {
			left = append(left, variable)
		}
	}
	return left
}

func (d *demo) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	d.server = exec.Command(self, "mcp", "--db", d.db, "--agent", "demo", "--summarizer", "outline") // it must cost nothing
	d.server.Env, d.server.Stderr = d.env, d.p.err
	client := mcp.NewClient(&mcp.Implementation{Name: "scratchpad-demo", Version: version()}, nil)
	d.session, err = client.Connect(d.p.ctx, &mcp.CommandTransport{Command: d.server}, nil)
	return err
}

// call makes a call that must succeed.
func (d *demo) call(title, tool string, args map[string]any, whole string) error {
	isError, err := d.play(title, tool, args, whole)
	if err == nil && isError {
		err = d.unexpected()
	}
	return err
}

// unexpected is the error of a last step that is not as it should be.
func (d *demo) unexpected() error {
	last := d.steps[len(d.steps)-1]
	return fmt.Errorf("demo: %s %s: the answer is not what it should be: %s", last.Tool, shown(last.Arguments), strings.Join(last.Answer, " "))
}

// play makes a call and shows it. whole is what would be read without
// Scratchpad, "" where that is the same.
func (d *demo) play(title, tool string, args map[string]any, whole string) (isError bool, err error) {
	s := step{Title: title, Tool: tool, Arguments: args, Whole: tokens.Estimate(whole)}
	res, err := d.session.CallTool(d.p.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return false, err
	}
	s.Answer = textBlocks(res)
	for _, text := range s.Answer {
		s.Tokens += tokens.Estimate(text)
	}
	if d.read += s.Tokens; whole == "" {
		d.whole += s.Tokens
	} else {
		d.whole += s.Whole
	}
	d.steps = append(d.steps, s)
	return res.IsError, d.show(s)
}

func textBlocks(res *mcp.CallToolResult) (blocks []string) {
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			blocks = append(blocks, text.Text)
		}
	}
	return blocks
}

func (d *demo) show(s step) error {
	if d.p.line.JSON {
		return nil
	}
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, "\n%s\n", d.p.paint(s.Title, color.Bold))
	}
	fmt.Fprintf(&b, "  %s %s\n", d.p.paint(s.Tool, color.FgCyan), shown(s.Arguments))
	for _, block := range s.Answer {
		for _, line := range firstLines(block, 6) {
			fmt.Fprintf(&b, "  %s %s\n", d.p.paint("<", color.Faint), line)
		}
	}
	cost := fmt.Sprintf("%d tokens", s.Tokens)
	if s.Whole > 0 {
		cost += fmt.Sprintf("; reading all again: %d", s.Whole)
	}
	fmt.Fprintf(&b, "  %s\n", d.p.paint(cost, color.FgGreen))
	_, err := io.WriteString(d.p.out, b.String())
	return err
}

// shown is the arguments for people: in order, and none longer than a line.
func shown(args map[string]any) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := fmt.Sprint(args[name])
		if s, ok := args[name].(string); ok {
			if value = fmt.Sprintf("%q", s); len(s) > 100 {
				value = fmt.Sprintf("%.40q... (%d bytes)", s, len(s))
			}
		}
		word := name + "=" + value
		if name == "path" {
			words = slices.Insert(words, 0, word)
		} else {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func firstLines(block string, most int) []string {
	lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], fmt.Sprintf("... and %d lines more", len(lines)-most+1))
	}
	for i, l := range lines {
		if len(l) > 400 {
			lines[i] = fmt.Sprintf("%.397s...", l)
		}
	}
	return lines
}

// file is a plan that is written, changed, and asked for again.
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
		{"A task is done. It sends what changes, not the file.", "edit_file", map[string]any{"path": "plan.md", "old_text": task, "new_text": "- [x] T-042 "}, ""},
		{"Later it wants to know: what has changed since version 1?", "read_file", map[string]any{"path": "plan.md", "since_version": 1}, changed},
		{"And since version 2?", "read_file", map[string]any{"path": "plan.md", "since_version": 2}, changed},
		{"It needs only a part.", "read_file", map[string]any{"path": "plan.md", "from_line": 40, "to_line": 44}, changed},
	} {
		if err := d.call(c.title, c.tool, c.args, c.whole); err != nil {
			return err
		}
	}
	return nil
}

// log is a log that grows, and is read by what is new.
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
		{fmt.Sprintf("What it sees on the way goes into a log: %d entries, and one more.", before), "append_log", map[string]any{"path": "checks", "entry": last}, ""},
		{fmt.Sprintf("It has read up to entry %d. What is new?", before), "read_log", map[string]any{"path": "checks", "since_entry": before}, all.String()},
		{"From the beginning it reads in pages: the next one is since_entry 5.", "read_log", map[string]any{"path": "checks", "limit": 5}, ""},
		{"What does it keep at all?", "list_files", map[string]any{}, ""},
	} {
		if err := d.call(c.title, c.tool, c.args, c.whole); err != nil {
			return err
		}
	}
	return nil
}

// mistake shows an error that says the way out.
func (d *demo) mistake() error {
	isError, err := d.play("A mistake is answered with the way out.", "edit_file",
		map[string]any{"path": "plan.md", "old_text": "- [ ] T-043 Rewrite the login pages", "new_text": "- [x] T-043 Rewrite the login pages"}, "")
	if err == nil && !isError {
		err = d.unexpected()
	}
	return err
}

// kill ends the server as a power cut would.
func (d *demo) kill() error {
	if err := d.server.Process.Kill(); err != nil {
		return err
	}
	d.session.Close() // an error: the server is gone
	if err := d.start(); err != nil {
		return err
	}
	err := d.call("The server is killed, and started again: what it acknowledged is there.", "read_file",
		map[string]any{"path": "plan.md", "since_version": 2}, demoPlan())
	if err == nil && !strings.Contains(strings.Join(d.steps[len(d.steps)-1].Answer, ""), `"unchanged":true`) {
		err = d.unexpected()
	}
	return err
}

func (d *demo) close() error {
	err := d.session.Close()
	if d.p.line.JSON {
		return errors.Join(err, d.p.answer(map[string]any{"steps": d.steps, "tokens": d.read, "tokens_of_reading_all": d.whole}, nil))
	}
	fmt.Fprintf(d.p.out, "\n%s %d tokens were read, where reading all again each time takes %d (estimates; for exact ones see docs/benchmarks.md).\n",
		d.p.paint("In all", color.Bold), d.read, d.whole)
	fmt.Fprintln(d.p.out, "Next: scratchpad client-config claude-code, or cursor, vscode, codex, ...: what to add to your client.")
	return err
}

// demoPlan is a plan of 90 tasks.
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
