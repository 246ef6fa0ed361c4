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
	return `The demo starts scratchpad mcp with a temporary database and plays a short session of an agent through an MCP client. For each call it shows the answer, about how many tokens a model reads for it, and what reading everything again would cost.

  scratchpad demo
  scratchpad demo --json`
}

// Run plays the session. It does not touch the user's database.
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
	for _, act := range []func() error{d.file, d.log, d.mistake, d.kill, d.comeBack} {
		if err := act(); err != nil {
			return err
		}
	}
	return d.close()
}

// demo is a session of an agent with a server that is a separate process.
type demo struct {
	p       *process
	db      string
	env     []string // of the server
	server  *exec.Cmd
	session *mcp.ClientSession
	steps   []step

	read, whole int // tokens in all: of the answers, and of reading everything again instead
}

// unconfigured returns an environment without the variables of flags, so that the
// session is the same for everybody.
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

func (d *demo) start() (err error) {
	d.server, d.session, err = d.connect("scratchpad-demo")
	return err
}

// connect starts a server for a client of this name.
func (d *demo) connect(client string) (*exec.Cmd, *mcp.ClientSession, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	server := exec.Command(self, "mcp", "--db", d.db, "--agent", "demo", "--summarizer", "outline") // the demo must cost nothing
	server.Env, server.Stderr = d.env, d.p.err
	session, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: version()}, nil).
		Connect(d.p.ctx, &mcp.CommandTransport{Command: server}, nil)
	return server, session, err
}

// quiet makes a call that is not shown.
func (d *demo) quiet(session *mcp.ClientSession, tool string, args map[string]any) error {
	res, err := session.CallTool(d.p.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err == nil && res.IsError {
		err = fmt.Errorf("demo: %s: %s", tool, strings.Join(textBlocks(res), " "))
	}
	return err
}

// call plays a call that must succeed.
func (d *demo) call(title, tool string, args map[string]any, whole string) error {
	isError, err := d.play(title, tool, args, whole)
	if err == nil && isError {
		err = d.unexpected()
	}
	return err
}

// unexpected returns the error for a last step that went wrong.
func (d *demo) unexpected() error {
	last := d.steps[len(d.steps)-1]
	return fmt.Errorf("demo: %s %s: the answer is not what it should be: %s", last.Tool, shown(last.Arguments), strings.Join(last.Answer, " "))
}

// play makes a call and shows it. whole is the text that an agent would read without
// Scratchpad; "" if that is the answer itself.
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

func (d *demo) close() error {
	err := d.session.Close()
	if d.p.line.JSON {
		return errors.Join(err, d.p.answer(map[string]any{"steps": d.steps, "tokens": d.read, "tokens_of_reading_all": d.whole}, nil))
	}
	fmt.Fprintf(d.p.out, "\n%s, %d tokens were read. Reading everything again each time takes %d. (These are estimates; docs/benchmarks.md has exact numbers.)\n",
		d.p.paint("In all", color.Bold), d.read, d.whole)
	fmt.Fprintln(d.p.out, "Next: scratchpad setup adds it to your clients: Claude Code, Cursor, VS Code, Codex and others.")
	return err
}

// step is one call, as the demo shows it.
type step struct {
	Title     string         `json:"title"`
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Answer    []string       `json:"answer"`
	Tokens    int            `json:"tokens"`
	Whole     int            `json:"tokens_of_reading_all,omitempty"` // 0: nothing to compare with
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
		for _, line := range firstLines(block, 10) {
			fmt.Fprintf(&b, "  %s %s\n", d.p.paint("<", color.Faint), line)
		}
	}
	cost := fmt.Sprintf("%d tokens", s.Tokens)
	if s.Whole > 0 {
		cost += fmt.Sprintf("; reading everything again: %d", s.Whole)
	}
	fmt.Fprintf(&b, "  %s\n", d.p.paint(cost, color.FgGreen))
	_, err := io.WriteString(d.p.out, b.String())
	return err
}

// shown returns the arguments for people, in order and each on one line.
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
