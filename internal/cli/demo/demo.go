// Package demo plays a short session of an agent with a server that is a process of its
// own, and counts the tokens that the agent reads.
package demo

import (
	"cmp"
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
	Env      []string  // the environment of the server
	Version  string    // the version of this program
	Out      io.Writer // gets each step, for a person; nil: nobody does
	Err      io.Writer // gets what the server writes to standard error

	// Paint colours a text for Out. Play does not call it if Out is nil.
	Paint func(text string, how ...color.Attribute) string
}

// A Report says what [Play] has played.
type Report struct {
	Steps  []Step `json:"steps"`                 // in the order of the calls
	Tokens int    `json:"tokens"`                // that the agent has read
	Whole  int    `json:"tokens_of_reading_all"` // that it would have read without cursors and diffs
}

// Play starts the server, plays the session, and ends the server. The server is this program
// with the command mcp. Play returns an error if an answer is not the expected one.
func Play(ctx context.Context, o Options) (r Report, err error) {
	d := &session{ctx: ctx, o: o}
	if err := d.start(); err != nil {
		return r, err
	}
	defer func() { d.client.Close() }()
	for _, act := range []func() error{d.file, d.log, d.kill, d.comeBack} {
		if err := act(); err != nil {
			return r, err
		}
	}
	return d.report, d.client.Close()
}

// A session is one of an agent with a server.
type session struct {
	client *mcp.ClientSession // set by start

	ctx    context.Context
	o      Options
	server *exec.Cmd
	report Report
}

// start starts the server.
func (d *session) start() (err error) {
	d.server, d.client, err = d.connect("scratchpad-demo")
	return err
}

// connect starts a server for a client of this name.
func (d *session) connect(client string) (*exec.Cmd, *mcp.ClientSession, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	// Summaries are outlines, because the demo must cost nothing.
	server := exec.Command(self, "mcp", "--db", d.o.Database, "--agent", "demo", "--summarizer", "outline")
	server.Env, server.Stderr = d.o.Env, d.o.Err
	session, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: d.o.Version}, nil).
		Connect(d.ctx, &mcp.CommandTransport{Command: server}, nil)
	return server, session, err
}

// quiet makes a call that is not shown.
func (d *session) quiet(session *mcp.ClientSession, tool string, args arguments) error {
	res, err := session.CallTool(d.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err == nil && res.IsError {
		err = fmt.Errorf("demo: %s: %s", tool, strings.Join(textBlocks(res), " "))
	}
	return err
}

// play makes calls and shows them.
func (d *session) play(calls ...call) error {
	for _, c := range calls {
		res, err := d.client.CallTool(d.ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			return err
		}
		s := Step{Title: c.title, Tool: c.tool, Arguments: c.args, Answer: textBlocks(res),
			Whole: tokens.Estimate(c.whole)}
		for _, text := range s.Answer {
			s.Tokens += tokens.Estimate(text)
		}
		d.report.Tokens += s.Tokens
		d.report.Whole += cmp.Or(s.Whole, s.Tokens)
		d.report.Steps = append(d.report.Steps, s)
		if err := d.show(s); err != nil {
			return err
		}
		if answer := strings.Join(s.Answer, " "); res.IsError != c.fails || !strings.Contains(answer, c.has) {
			return fmt.Errorf("demo: %s %s: the answer is not what it should be: %s", s.Tool,
				shown(s.Arguments), answer)
		}
	}
	return nil
}

// A Step is one call of a tool.
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

func (d *session) show(s Step) error {
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
func shown(args arguments) string {
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
