package mcpserver_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testing/golden"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A transcript is a conversation with the server on a database, in lines:
//
//	# what is shown
//	agent a                   the server is bound to it (before any call)
//	tools memory              or all (before any call)
//	limits {"Files":2}        of the agent (before any call)
//	tokens 100                bound the bodies of read_file (before any call)
//	let long = "a line\n" * 9 for $(long) in an argument
//	advance 90s               the clock, which begins at 2026-11-21T04:50:00Z
//	times 3 TOOL ARGUMENTS    calls, with # for their number; the last answer is shown
//	other TOOL ARGUMENTS      a call of another client, whose answer is not shown
//	> TOOL ARGUMENTS          a call
//	< RECORD                  the first block of its answer
//	| BODY                    the second, line by line; "| " alone follows a last line end
//	! ERROR                   or the error
//
// A long body is shown as its size and hash. The test fails if the server's answers differ
// from the lines that begin with < | or !.
func TestTranscripts(t *testing.T) {
	testkit.SkipInShort(t)
	files, err := filepath.Glob("testdata/transcript/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/transcript: %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			want := must(os.ReadFile(file))(t)
			got := (&conversation{t: t, clock: testkit.NewClock(), texts: map[string]string{}}).replay(string(want))
			golden.Check(t, file, got)
		})
	}
}

// conversation is the state of a transcript while it is replayed.
type conversation struct {
	t       *testing.T
	clock   *testkit.Clock
	agent   string
	tools   mcpserver.Tools
	limits  workspace.Limits
	keep    time.Duration // a deleted file
	tokens  int           // of a body of read_file; 0: no bound
	texts   map[string]string
	session *mcp.ClientSession // nil before the first call
	other   *mcp.ClientSession // of another client
}

// replay makes the calls of a transcript and returns it with the answers.
func (c *conversation) replay(text string) string {
	var b strings.Builder
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "<") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "!") {
			continue
		}
		b.WriteString(line + "\n")
		b.WriteString(c.step(line))
	}
	return b.String()
}

func (c *conversation) step(line string) string {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "", "#":
	case "agent":
		c.agent = rest
	case "tools":
		c.tools = map[string]mcpserver.Tools{"memory": mcpserver.MemoryTool, "all": mcpserver.AllTools}[rest]
	case "limits":
		c.check(line, json.Unmarshal([]byte(rest), &c.limits))
	case "tokens":
		n, err := strconv.Atoi(rest)
		c.check(line, err)
		c.tokens = n
	case "keep":
		d, err := time.ParseDuration(rest)
		c.check(line, err)
		c.keep = d
	case "let":
		c.let(rest)
	case "advance":
		d, err := time.ParseDuration(rest)
		c.check(line, err)
		c.clock.Advance(d)
	case "times":
		count, rest, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(count)
		c.check(line, err)
		var answer string
		for i := range n {
			answer = c.call(strings.ReplaceAll(rest, "#", strconv.Itoa(i+1)))
		}
		return answer
	case "other":
		c.begin()
		tool, args := c.parse(rest)
		mustCall(c.t, c.other, tool, args)
	case ">":
		return c.call(rest)
	default:
		c.t.Fatalf("no such line in a transcript: %s", line)
	}
	return ""
}

func (c *conversation) check(line string, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
}

func (c *conversation) let(rest string) {
	name, value, _ := strings.Cut(rest, " = ")
	quoted, times, _ := strings.Cut(value, " * ")
	text, err := strconv.Unquote(quoted)
	c.check(rest, err)
	n, err := strconv.Atoi(times)
	c.check(rest, err)
	c.texts[name] = strings.Repeat(text, n)
}

// begin begins the sessions before the first call.
func (c *conversation) begin() {
	if c.session != nil {
		return
	}
	svc := newDurable(c.t, workspace.Options{Now: c.clock.Now, Limits: c.limits, KeepDeleted: c.keep})
	server := newServerWith(c.t, mcpserver.Options{
		Bound: c.agent != "", Workspace: workspaces(svc, c.agent), MaxReadTokens: c.tokens, Tools: c.tools,
	})
	c.session = connect(c.t, server)
	c.other = connectAs(c.t, server, "", &mcp.Implementation{Name: "other", Version: "1"})
}

// parse returns the tool of a call and its arguments.
func (c *conversation) parse(line string) (tool string, args json.RawMessage) {
	tool, text, _ := strings.Cut(line, " ")
	for name, value := range c.texts {
		quoted, err := json.Marshal(value)
		c.check(line, err)
		text = strings.ReplaceAll(text, "$("+name+")", strings.Trim(string(quoted), `"`))
	}
	return tool, json.RawMessage(text)
}

func (c *conversation) call(line string) string {
	c.begin()
	tool, args := c.parse(line)
	blocks, isError := call(c.t, c.session, tool, args)
	switch {
	case isError && len(blocks) == 1:
		checkError(c.t, line, blocks[0])
		return "! " + visible(blocks[0]) + "\n"
	case isError || len(blocks) == 0 || len(blocks) > 2:
		c.t.Fatalf("%s: %d blocks, error %v", line, len(blocks), isError)
	}
	answer := "< " + visible(blocks[0]) + "\n"
	for _, body := range blocks[1:] {
		answer += shown(body)
	}
	return answer
}

func shown(body string) string {
	const mostLines, most = 24, 2000
	lines := strings.Split(body, "\n")
	if len(lines) > mostLines || len(body) > most {
		return fmt.Sprintf("| (%d lines, %d bytes, SHA-256 %.8x)\n", len(lines), len(body), sha256.Sum256([]byte(body)))
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("| " + visible(line) + "\n")
	}
	return b.String()
}

// visible escapes all invisible characters of a text but tabs.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if !unicode.IsPrint(r) && r != '\t' {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
