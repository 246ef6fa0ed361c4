// Package guide_test runs the pages of this folder as they are written.
package guide_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Each page runs in a folder and a home of its own: its console blocks in one
// shell, from top to bottom, then each of its Go programs.
func TestGuides(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages are written for a POSIX shell")
	}
	testkit.SkipUnlessLong(t)
	pages, err := filepath.Glob("*.md")
	testkit.Must(t, err)
	bin := build(t)
	t.Run("commands of the README", func(t *testing.T) {
		t.Parallel()
		readmeCommands(t, bin)
	})
	for _, page := range pages {
		t.Run(strings.TrimSuffix(page, ".md"), func(t *testing.T) {
			t.Parallel()
			p := parse(t, page)
			p.needPrograms(t)
			p.runConsole(t, bin)
			p.runPrograms(t)
			p.serveEntry(t)
		})
	}
}

// build returns a folder that holds the command.
func build(t *testing.T) string {
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "scratchpad"), "../../cmd/scratchpad").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// A page is one guide.
type page struct {
	home     string    // where it runs
	commands []command // of its console blocks
	programs []command // of its go blocks; want is the text block that follows
}

// A command is what a reader types, and what the page says that it prints.
type command struct {
	line   int
	text   string
	want   []string
	client bool // a program that needs a running server; internal/e2e/memory runs it
}

func parse(t *testing.T, name string) *page {
	p := &page{home: t.TempDir()}
	block, start := "", 0
	var lines []string
	for i, line := range strings.Split(testkit.ReadFile(t, name), "\n") {
		fence, is := strings.CutPrefix(line, "```")
		switch {
		case is && block == "":
			block, start, lines = fence, i+2, nil
			if block == "" {
				t.Fatalf("%s:%d: the block has no language", name, i+1)
			}
		case is:
			p.add(t, name, block, start, lines)
			block = ""
		case block != "":
			lines = append(lines, line)
		}
	}
	return p
}

func (p *page) add(t *testing.T, name, language string, start int, lines []string) {
	switch language {
	case "console":
		for i, line := range lines {
			if text, is := strings.CutPrefix(line, "$ "); is {
				p.commands = append(p.commands, command{line: start + i, text: text})
				continue
			}
			if len(p.commands) == 0 {
				t.Fatalf("%s:%d: output without a command", name, start+i)
			}
			last := &p.commands[len(p.commands)-1]
			last.want = append(last.want, line)
		}
	case "go", "go client":
		text := strings.Join(lines, "\n") + "\n"
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s:%d: the program is not formatted as gofmt does: %v", name, start, err)
		}
		p.programs = append(p.programs, command{line: start, text: text, client: language == "go client"})
	case "ts client":
		p.programs = append(p.programs, command{line: start, client: true})
	case "text":
		if len(p.programs) == 0 {
			t.Fatalf("%s:%d: output without a program", name, start)
		}
		p.programs[len(p.programs)-1].want = lines
	default:
		t.Fatalf("%s:%d: a block of %q would not be run", name, start, language)
	}
}

// needPrograms skips a page whose commands need a program that is not here.
func (p *page) needPrograms(t *testing.T) {
	for _, name := range []string{"git", "curl", "openssl", "psql", "pg_dump", "pg_restore"} {
		for _, c := range p.commands {
			if _, err := exec.LookPath(name); err != nil && strings.HasPrefix(c.text, name+" ") {
				t.Skipf("line %d: the page needs %s, which is not installed", c.line, name)
			}
		}
	}
}

// runConsole runs the commands in one shell, so that a cd and an export hold for
// those that follow.
func (p *page) runConsole(t *testing.T, bin string) {
	if len(p.commands) == 0 {
		return
	}
	const mark = "-- end of command --"
	p.freePort(t)
	p.findServer(t)
	var script strings.Builder
	for _, c := range p.commands {
		fmt.Fprintf(&script, "%s\necho \"\n%s $?\"\n", c.text, mark)
	}
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Dir = p.home
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + bin + ":" + os.Getenv("PATH")}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v:\n%s", err, &out)
	}
	rest := out.String()
	for _, c := range p.commands {
		text, after, found := strings.Cut(rest, "\n"+mark+" ")
		if !found {
			t.Fatalf("line %d: no end of %q in:\n%s", c.line, c.text, rest)
		}
		code, next, _ := strings.Cut(after, "\n")
		rest = next
		c.compare(t, text)
		if mayFail := len(c.want) > 0 && strings.HasPrefix(c.want[0], "scratchpad: "); (code != "0") != mayFail {
			t.Errorf("line %d: %q ended with %s", c.line, c.text, code)
		}
	}
}

// freePort puts a free port in place of the server's usual one.
func (p *page) freePort(t *testing.T) {
	const usual = ":4321"
	_, port, err := net.SplitHostPort(testkit.FreeAddress(t))
	testkit.Must(t, err)
	for i, c := range p.commands {
		p.commands[i].text = strings.ReplaceAll(c.text, usual, ":"+port)
		for j, line := range c.want {
			c.want[j] = strings.ReplaceAll(line, usual, ":"+port)
		}
	}
}

// findServer puts a private server in place of the PostgreSQL server that a page names. It
// skips the page where PostgreSQL is missing.
func (p *page) findServer(t *testing.T) {
	const named = "@db1.example.com/"
	name := regexp.MustCompile(named + `([a-z_]*)`)
	server := ""
	for i, c := range p.commands {
		if !strings.Contains(c.text, named) {
			continue
		}
		if server == "" {
			_, server, _ = strings.Cut(pgtest.URL(t), "?")
		}
		p.commands[i].text = name.ReplaceAllString(c.text, "@/$1?"+server)
	}
}

// compare holds what a command printed against the page. "..." stands for any text,
// and on a line of its own for any lines.
func (c command) compare(t *testing.T, got string) {
	t.Helper()
	want := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(strings.Join(c.want, "\n"))), `\.\.\.`, `(?s:.*)`)
	if !regexp.MustCompile("^" + want + "$").MatchString(strings.TrimSpace(got)) {
		t.Errorf("line %d:\n%s\nprinted:\n%s\nthe page says:\n%s", c.line, c.text, got, strings.Join(c.want, "\n"))
	}
}

// runPrograms runs each program of the page as a main package of this module, with
// the page's folder as its working directory.
func (p *page) runPrograms(t *testing.T) {
	for i, c := range p.programs {
		if c.client {
			continue
		}
		dir := t.TempDir()
		source := filepath.Join(dir, "main.go")
		testkit.Must(t, os.WriteFile(source, []byte(c.text), 0o600))
		program := filepath.Join(dir, "program")
		if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
			t.Errorf("line %d: program %d: %v\n%s", c.line, i+1, err, out)
			continue
		}
		cmd := exec.Command(program)
		cmd.Dir = p.home
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("line %d: program %d: %v\n%s", c.line, i+1, err, out)
			continue
		}
		c.compare(t, string(out))
	}
}

// serveEntry starts what the page has made setup write for Claude Code, as Claude Code does in a
// folder of the page, and calls a tool.
func (p *page) serveEntry(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(p.home, "*", ".git"))
	testkit.Must(t, err)
	for _, folder := range folders {
		var config struct {
			MCPServers map[string]struct {
				Command string
				Args    []string
			}
		}
		file, err := os.ReadFile(filepath.Join(p.home, ".claude.json"))
		if os.IsNotExist(err) {
			return // the page sets up nothing
		}
		testkit.Must(t, err)
		testkit.Must(t, json.Unmarshal(file, &config))
		entry := config.MCPServers["scratchpad"]
		cmd := exec.Command(entry.Command, entry.Args...)
		cmd.Env, cmd.Dir = []string{"HOME=" + p.home}, filepath.Dir(folder)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "guide"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		testkit.Must(t, err)
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_files", Arguments: map[string]any{}})
		testkit.Must(t, err)
		text := res.Content[len(res.Content)-1].(*mcp.TextContent).Text
		if res.IsError || !strings.Contains(text, ".md\t2\t") && !strings.Contains(text, "status.md\t4\t") {
			t.Errorf("%s: list_files = %s", folder, text)
		}
		testkit.Must(t, session.Close())
	}
}
