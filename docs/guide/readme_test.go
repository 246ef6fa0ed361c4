package guide_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// readmeBlocks returns the blocks of the README in a language.
func readmeBlocks(t *testing.T, language string) (all []string) {
	t.Helper()
	for _, block := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(testkit.ReadFile(t, "../../README.md"), -1) {
		all = append(all, block[1])
	}
	if len(all) == 0 {
		t.Fatalf("the README has no block in %s", language)
	}
	return all
}

// readmeProgram stands around the blocks in Go: what their reader has at hand. The model
// answers one message.
const readmeProgram = `package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/memorytool"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var (
	ctx      = context.Background()
	plan     = []byte("1. Read\n2. Write\n3. Rest\n")
	finding  = "the cache is cold"
	model    = "claude-haiku-4-5"
	messages = []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Go on."))}
	server   = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, ` + "`" + `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}` + "`" + `)
	}))
	client = anthropic.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"))
)

func workspaceOf(agent string) *workspace.Workspace {
	store, err := sqlite.Open(ctx, "tool.db", sqlite.Options{})
	check(err)
	svc, err := workspace.New(store, workspace.Options{})
	check(err)
	ws, err := svc.Agent(agent)
	check(err)
	return ws
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

var _ time.Duration

func main() {
`

// The programs of the README in Go compile as they stand and run without an error.
func TestReadmeGo(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	var program strings.Builder
	program.WriteString(readmeProgram)
	for _, block := range readmeBlocks(t, "go") {
		program.WriteString("\tfunc() {\n")
		if strings.Contains(block, "memorytool.") {
			program.WriteString("ws := workspaceOf(\"agent-1\")\n")
		}
		program.WriteString(checked(t, block) + "\t}()\n")
	}
	program.WriteString("}\n")
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	testkit.Must(t, os.WriteFile(source, []byte(program.String()), 0o600))
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "program"), source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, program.String())
	}
	cmd := exec.Command(filepath.Join(dir, "program"))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// checked returns the statements of a block. After each that sets err, err is checked, and
// at the end each variable is used.
func checked(t *testing.T, block string) string {
	t.Helper()
	const head = "package p\nfunc f() {\n"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "block", head+block+"}\n", 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, block)
	}
	var text, use strings.Builder
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		text.WriteString((head + block)[set.Position(s.Pos()).Offset:set.Position(s.End()).Offset] + "\n")
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, left := range assign.Lhs {
			switch name := left.(*ast.Ident).Name; {
			case name == "err":
				text.WriteString("check(err)\n")
			case name != "_" && assign.Tok == token.DEFINE:
				use.WriteString("_ = " + name + "\n")
			}
		}
	}
	return text.String() + use.String()
}

// The commands for people run as they stand, in the memory of an agent that has worked. The
// entry for any client starts a server.
func readmeCommands(t *testing.T, bin string) {
	home := t.TempDir()
	run := func(stdin, line string) (*exec.Cmd, *testkit.Buffer) {
		cmd, out := exec.Command("sh", "-c", "exec "+line), new(testkit.Buffer)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH")}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), out, out
		return cmd, out
	}
	for n := range 4 { // a report is long enough for a summary
		for _, line := range []string{"scratchpad files write plan.md", "scratchpad files write report.md", "scratchpad logs append progress"} {
			if cmd, out := run(strings.Repeat(fmt.Sprintln("# budget", n), 1000+n), line); cmd.Run() != nil {
				t.Fatalf("%s: %s", line, out.String())
			}
		}
	}
	tried := 0
	for _, block := range readmeBlocks(t, "sh") {
		if !strings.Contains(block, "scratchpad brief") {
			continue
		}
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, "  ")
			cmd, out := run("", line)
			testkit.Must(t, cmd.Start())
			if tried++; regexp.MustCompile(`console|--follow|tail -f`).MatchString(line) {
				// It goes on until somebody ends it. First it says something.
				for began := time.Now(); out.String() == "" && time.Since(began) < time.Minute; {
					time.Sleep(10 * time.Millisecond)
				}
				testkit.Must(t, cmd.Process.Signal(syscall.SIGTERM))
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out.String())
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d commands were tried", tried)
	}
	var config struct {
		MCPServers map[string]struct{ Args []string }
	}
	testkit.Must(t, json.Unmarshal([]byte(readmeBlocks(t, "json")[0]), &config))
	cmd := exec.Command(filepath.Join(bin, "scratchpad"), config.MCPServers["scratchpad"].Args...)
	cmd.Env = []string{"HOME=" + home}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "readme"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	defer session.Close()
	if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) < 10 {
		t.Errorf("ListTools = %v, %v", tools, err)
	}
}
