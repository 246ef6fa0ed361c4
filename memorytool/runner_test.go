package memorytool_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/memorytool"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openStore returns a new database.
func openStore(t testing.TB) workspace.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "scratchpad.db"), sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// agentOn returns an agent of a store.
func agentOn(t testing.TB, store workspace.Store) *workspace.Workspace {
	t.Helper()
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	ws, err := svc.Agent("agent-1")
	testkit.Must(t, err)
	return ws.As(workspace.Author{Client: "test"})
}

func newWorkspace(t testing.TB) *workspace.Workspace {
	t.Helper()
	return agentOn(t, openStore(t))
}

func write(t testing.TB, ws *workspace.Workspace, path, content string) {
	t.Helper()
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte(content), workspace.WriteOptions{})))
}

func content(t testing.TB, ws *workspace.Workspace, path string) string {
	t.Helper()
	r, err := ws.ReadFile(t.Context(), path, workspace.ReadOptions{})
	testkit.Must(t, err)
	return string(r.Content)
}

// native is the definition of the tool as the API documents it.
const native = `{"name":"memory","type":"memory_20250818"}`

// loops are the ways in which the SDK runs a tool.
var loops = map[string]func(context.Context, anthropic.Client, *memorytool.Tool) error{
	"runner":                    runner(false, false),
	"runner on a thread":        runner(false, true),
	"streamed runner":           runner(true, false),
	"streamed runner on thread": runner(true, true),
}

func runnerParams() anthropic.BetaToolRunnerParams {
	return anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
		Model:     "claude-haiku-4-5",
		MaxTokens: 1024,
		Messages:  []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Go on."))},
		Tools:     []anthropic.BetaToolUnionParam{memorytool.BetaDefinition()},
	}}
}

func runner(streamed, thread bool) func(context.Context, anthropic.Client, *memorytool.Tool) error {
	return func(ctx context.Context, client anthropic.Client, tool *memorytool.Tool) error {
		p := runnerParams()
		p.DisableThread = !thread
		tools := []anthropic.BetaTool{tool}
		if !streamed {
			_, err := client.Beta.Messages.NewToolRunner(tools, p).RunToCompletion(ctx)
			return err
		}
		for events, err := range client.Beta.Messages.NewToolRunnerStreaming(tools, p).AllStreaming(ctx) {
			if err != nil {
				return err
			}
			for _, err := range events {
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// session is a script of turns of one call each, with the text that each answers. A text
// that begins with "!" is an error.
var session = []struct{ input, want string }{
	{`{"command":"view","path":"/memories"}`, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories"},
	{`{"command":"create","path":"/memories/notes/plan.md","file_text":"one\ntwo <&> \u2028 é\nthree\n"}`, "File created successfully at: /memories/notes/plan.md"},
	{`{"command":"create","path":"/memories/notes/plan.md","file_text":""}`, "!Error: File /memories/notes/plan.md already exists"},
	{`{"command":"view","path":"/memories/notes/plan.md","view_range":[2,2]}`, "Here's the content of /memories/notes/plan.md with line numbers:\n     2\ttwo <&> \u2028 é"},
	{`{"command":"str_replace","path":"/memories/notes/plan.md","old_str":"three","new_str":"3"}`,
		"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\ttwo <&> \u2028 é\n     3\t3\n     4\t"},
	{`{"command":"str_replace","path":"/memories/notes/plan.md","old_str":"four","new_str":"4"}`,
		"!No replacement was performed, old_str `four` did not appear verbatim in /memories/notes/plan.md."},
	{`{"command":"insert","path":"/memories/notes/plan.md","insert_line":0,"insert_text":"zero\n"}`, "The file /memories/notes/plan.md has been edited."},
	{`{"command":"insert","path":"/memories/notes/plan.md","insert_line":9,"insert_text":"nine\n"}`,
		"!Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 5]"},
	{`{"command":"insert","path":"/memories/absent.md","insert_line":0,"insert_text":"x"}`, "!Error: The path /memories/absent.md does not exist"},
	{`{"command":"rename","old_path":"/memories/notes","new_path":"/memories/kept"}`, "Successfully renamed /memories/notes to /memories/kept"},
	{`{"command":"view","path":"/memories/notes/plan.md"}`, "!The path /memories/notes/plan.md does not exist. Please provide a valid path."},
	{`{"command":"create","path":"/memories/draft.md","file_text":"d"}`, "File created successfully at: /memories/draft.md"},
	{`{"command":"delete","path":"/memories/draft.md"}`, "Successfully deleted /memories/draft.md"},
	{`{"command":"view","path":"/memories/../etc/passwd"}`, `!path "/memories/../etc/passwd" holds ".."; give a path without it, such as /memories/notes.md`},
	{`{"command":"insert","path":"/memories/kept/plan.md","insert_line":2.7,"insert_text":"x"}`, `!argument insert_line must be a whole number up to 2^53, not 2.7`},
}

func TestRunnersRunEveryCommand(t *testing.T) {
	var turns [][]string
	for _, c := range session {
		turns = append(turns, []string{c.input})
	}
	for name, run := range loops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws, m := newWorkspace(t), newModel(t, turns...)
			testkit.Must(t, run(t.Context(), m.client(), memorytool.New(ws, memorytool.Options{})))
			for i, results := range m.results(t) {
				checkResult(t, session[i].input, session[i].want, results[0], "Error: ")
			}
			if n := len(m.results(t)); n != len(session) {
				t.Fatalf("%d turns were answered, want %d", n, len(session))
			}
			if got, want := content(t, ws, "kept/plan.md"), "zero\none\ntwo <&> \u2028 é\n3\n"; got != want {
				t.Errorf("the file is %q, want %q", got, want)
			}
			m.checkRequests(t, strings.Contains(name, "thread"), strings.Contains(name, "streamed"))
			checkHistory(t, ws)
		})
	}
}

// checkResult checks a result. An error has its text with the prefix of the loop, once.
func checkResult(t *testing.T, input, want string, got toolResult, prefix string) {
	t.Helper()
	want, isError := strings.CutPrefix(want, "!")
	if isError {
		want = prefix + strings.TrimPrefix(want, prefix)
	}
	if got.IsError != isError || got.text() != want {
		t.Errorf("%s: is_error %v, want %v; text (-want +got):\n%s", input, got.IsError, isError, cmp.Diff(want, got.text()))
	}
}

// checkRequests checks that the model was told of the native tool, and that the loop sent
// what its name says.
func (m *model) checkRequests(t *testing.T, thread, streamed bool) {
	t.Helper()
	for i, r := range m.requests {
		if r.Stream != streamed || (r.Thread != nil) != thread {
			t.Fatalf("request %d: stream %v, thread %v", i+1, r.Stream, r.Thread)
		}
		if thread && i > 0 {
			continue // the tools are those of the thread
		}
		if len(r.Tools) != 1 || string(r.Tools[0]) != native {
			t.Fatalf("request %d: the tools are %s, want %s", i+1, r.Tools, native)
		}
	}
}

// checkHistory checks that each change of the session is a version by the author.
func checkHistory(t *testing.T, ws *workspace.Workspace) {
	t.Helper()
	h, err := ws.History(t.Context(), "kept/plan.md")
	testkit.Must(t, err)
	for _, v := range h {
		if v.Author.Client != "test" {
			t.Errorf("version %d is by %+v", v.Version, v.Author)
		}
	}
	if newest := h[len(h)-1].Version; newest != 4 { // create, str_replace, insert, rename
		t.Errorf("the file is at version %d, want 4", newest)
	}
}

// Without its definition in Tools the runner describes the tool itself, and it works with
// any model.
func TestRunnerWithoutTheDefinition(t *testing.T) {
	ws, m := newWorkspace(t), newModel(t, []string{`{"command":"create","path":"/memories/a.md","file_text":"a"}`})
	p := runnerParams()
	p.Tools = nil
	tool := memorytool.New(ws, memorytool.Options{})
	client := m.client()
	testkit.Must(t, testkit.Err(client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{tool}, p).RunToCompletion(t.Context())))
	if content(t, ws, "a.md") != "a" {
		t.Error("the file was not written")
	}
	want := fmt.Sprintf(`{"name":"memory","description":%s,"input_schema":%s}`, quoted(tool.Description()), memorytool.Schema())
	if got := string(m.requests[0].Tools[0]); !sameJSON(t, got, want) {
		t.Errorf("the tool is\n%s\nwant\n%s", got, want)
	}
}
