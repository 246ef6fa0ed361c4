// Package demo plays a short session of an agent with a server that is a process of its
// own, and counts the tokens that the agent reads.
package demo

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// Options of [Play].
type Options struct {
	Database string    // the file of the server's database
	Env      []string  // of the server
	Version  string    // of this program
	Out      io.Writer // shows each step to a person; nil: none
	Err      io.Writer // what the server says

	// Paint colours a text for Out.
	Paint func(text string, how ...color.Attribute) string
}

// A Report is what was played.
type Report struct {
	Steps  []Step `json:"steps"`
	Tokens int    `json:"tokens"`                // of all answers
	Whole  int    `json:"tokens_of_reading_all"` // of reading everything again instead
}

// Play plays the session. The server is this program with the command mcp. An answer that
// is not what it should be is an error.
func Play(ctx context.Context, o Options) (r Report, err error) {
	d := New(ctx, o)
	if err := d.Start(); err != nil {
		return r, err
	}
	defer func() { d.Client.Close() }()
	for _, act := range []func() error{d.File, d.Log, d.Mistake, d.Kill, d.ComeBack} {
		if err := act(); err != nil {
			return r, err
		}
	}
	return d.report, d.Client.Close()
}

// A Session is a session of an agent with a server.
type Session struct {
	Client *mcp.ClientSession // set by Start

	ctx    context.Context
	o      Options
	server *exec.Cmd
	report Report
}

// New returns a session whose server is not started yet.
func New(ctx context.Context, o Options) *Session { return &Session{ctx: ctx, o: o} }

// Start starts the server.
func (d *Session) Start() (err error) {
	d.server, d.Client, err = d.connect("scratchpad-demo")
	return err
}

// connect starts a server for a client of this name.
func (d *Session) connect(client string) (*exec.Cmd, *mcp.ClientSession, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	server := exec.Command(self, "mcp", "--db", d.o.Database, "--agent", "demo", "--summarizer", "outline") // the demo must cost nothing
	server.Env, server.Stderr = d.o.Env, d.o.Err
	session, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: d.o.Version}, nil).
		Connect(d.ctx, &mcp.CommandTransport{Command: server}, nil)
	return server, session, err
}

// quiet makes a call that is not shown.
func (d *Session) quiet(session *mcp.ClientSession, tool string, args map[string]any) error {
	res, err := session.CallTool(d.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err == nil && res.IsError {
		err = fmt.Errorf("demo: %s: %s", tool, strings.Join(textBlocks(res), " "))
	}
	return err
}

// call plays a call that must succeed.
func (d *Session) call(title, tool string, args map[string]any, whole string) error {
	isError, err := d.play(title, tool, args, whole)
	if err == nil && isError {
		err = d.unexpected()
	}
	return err
}

// unexpected returns the error for a last step that went wrong.
func (d *Session) unexpected() error {
	last := d.report.Steps[len(d.report.Steps)-1]
	return fmt.Errorf("demo: %s %s: the answer is not what it should be: %s", last.Tool, shown(last.Arguments), strings.Join(last.Answer, " "))
}

// play makes a call and shows it. whole is the text that an agent would read without
// Scratchpad; "" if that is the answer itself.
func (d *Session) play(title, tool string, args map[string]any, whole string) (isError bool, err error) {
	s := Step{Title: title, Tool: tool, Arguments: args, Whole: tokens.Estimate(whole)}
	res, err := d.Client.CallTool(d.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return false, err
	}
	s.Answer = textBlocks(res)
	for _, text := range s.Answer {
		s.Tokens += tokens.Estimate(text)
	}
	if d.report.Tokens += s.Tokens; whole == "" {
		d.report.Whole += s.Tokens
	} else {
		d.report.Whole += s.Whole
	}
	d.report.Steps = append(d.report.Steps, s)
	return res.IsError, d.show(s)
}

// A Step is one call, as the demo shows it.
type Step struct {
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

func (d *Session) show(s Step) error {
	if d.o.Out == nil {
		return nil
	}
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, "\n%s\n", d.o.Paint(s.Title, color.Bold))
	}
	fmt.Fprintf(&b, "  %s %s\n", d.o.Paint(s.Tool, color.FgCyan), shown(s.Arguments))
	for _, block := range s.Answer {
		for _, line := range firstLines(block, 10) {
			fmt.Fprintf(&b, "  %s %s\n", d.o.Paint("<", color.Faint), line)
		}
	}
	cost := fmt.Sprintf("%d tokens", s.Tokens)
	if s.Whole > 0 {
		cost += fmt.Sprintf("; reading everything again: %d", s.Whole)
	}
	fmt.Fprintf(&b, "  %s\n", d.o.Paint(cost, color.FgGreen))
	_, err := io.WriteString(d.o.Out, b.String())
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
