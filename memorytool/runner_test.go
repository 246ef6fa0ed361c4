package memorytool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
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

// calls are calls of the tool with these inputs.
func calls(inputs ...string) (all []providertest.Call) {
	for _, input := range inputs {
		all = append(all, providertest.Call{Name: "memory", Arguments: input})
	}
	return all
}

// newModel returns a fake model that makes these calls turn by turn, and then ends.
func newModel(t testing.TB, turns ...[]providertest.Call) (anthropic.Client, *providertest.Server) {
	t.Helper()
	replies := make([]providertest.Reply, len(turns))
	for i, turn := range turns {
		replies[i].Calls = turn
	}
	srv := providertest.Anthropic(replies...)
	t.Cleanup(srv.Close)
	return anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})), srv
}

// A block is a call or its result, as the model reads it.
type block struct {
	ID      string
	Of      string `json:"tool_use_id"`
	IsError bool   `json:"is_error"`
	Content []struct{ Text string }
}

// results returns the results of each turn. Each request must have one for each call, in order,
// and tell the model of the native tool.
func results(t testing.TB, srv *providertest.Server) (all [][]block) {
	t.Helper()
	for _, body := range srv.Requests()[1:] {
		var request struct {
			Tools    []json.RawMessage
			Messages []struct{ Content json.RawMessage }
		}
		testkit.Must(t, json.Unmarshal(body, &request))
		if len(request.Tools) != 1 || string(request.Tools[0]) != native {
			t.Fatalf("the tools are %s, want %s", request.Tools, native)
		}
		var calls, answers []block
		last := len(request.Messages) - 1
		testkit.Must(t, json.Unmarshal(request.Messages[last-1].Content, &calls))
		testkit.Must(t, json.Unmarshal(request.Messages[last].Content, &answers))
		for i, call := range calls {
			if len(answers) != len(calls) || answers[i].Of != call.ID || len(answers[i].Content) != 1 {
				t.Fatalf("the calls %+v are answered with %+v", calls, answers)
			}
		}
		all = append(all, answers)
	}
	return all
}

// run is the tool runner of the SDK.
func run(ctx context.Context, client anthropic.Client, tool *memorytool.Tool, definitions ...anthropic.BetaToolUnionParam) error {
	return testkit.Err(client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{tool}, anthropic.BetaToolRunnerParams{
		DisableThread: true, // the fake model keeps nothing between requests
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model:     "claude-haiku-4-5",
			MaxTokens: 1024,
			Messages:  []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Go on."))},
			Tools:     definitions,
		},
	}).RunToCompletion(ctx))
}

// session is a script of turns of one call each, with the text that each answers. A text
// that begins with "!" is an error.
var session = []struct{ input, want string }{
	{`{"command":"view","path":"/memories"}`, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories"},
	{`{"command":"create","path":"/memories/notes/plan.md","file_text":"one\ntwo <&> \u2028 é\nthree\n"}`, "File created successfully at: /memories/notes/plan.md"},
	{`{"command":"str_replace","path":"/memories/notes/plan.md","old_str":"three","new_str":"3"}`,
		"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\ttwo <&> \u2028 é\n     3\t3\n     4\t"},
	{`{"command":"str_replace","path":"/memories/notes/plan.md","old_str":"four","new_str":"4"}`,
		"!No replacement was performed, old_str `four` did not appear verbatim in /memories/notes/plan.md."},
	{`{"command":"insert","path":"/memories/notes/plan.md","insert_line":0,"insert_text":"zero\n"}`, "The file /memories/notes/plan.md has been edited."},
	{`{"command":"insert","path":"/memories/notes/plan.md","insert_line":9,"insert_text":"nine\n"}`,
		"!Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 5]"},
	{`{"command":"rename","old_path":"/memories/notes","new_path":"/memories/kept"}`, "Successfully renamed /memories/notes to /memories/kept"},
	{`{"command":"view","path":"/memories/notes/plan.md"}`, "!The path /memories/notes/plan.md does not exist. Please provide a valid path."},
	{`{"command":"create","path":"/memories/draft.md","file_text":"d"}`, "File created successfully at: /memories/draft.md"},
	{`{"command":"delete","path":"/memories/draft.md"}`, "Successfully deleted /memories/draft.md"},
	{`{"command":"insert","path":"/memories/kept/plan.md","insert_line":2.7,"insert_text":"x"}`, `!argument insert_line must be a whole number up to 2^53, not 2.7`},
}

func TestRunnerRunsEveryCommand(t *testing.T) {
	var turns [][]providertest.Call
	for _, c := range session {
		turns = append(turns, calls(c.input))
	}
	ws := newWorkspace(t)
	client, srv := newModel(t, turns...)
	testkit.Must(t, run(t.Context(), client, memorytool.New(ws, memorytool.Options{}), memorytool.BetaDefinition()))
	answers := results(t, srv)
	if len(answers) != len(session) {
		t.Fatalf("%d turns were answered, want %d", len(answers), len(session))
	}
	for i, turn := range answers {
		checkResult(t, session[i].input, session[i].want, turn[0], "Error: ")
	}
	checkHistory(t, ws)
}

// checkResult checks a result. An error has its text with the prefix of the loop, once.
func checkResult(t *testing.T, input, want string, got block, prefix string) {
	t.Helper()
	want, isError := strings.CutPrefix(want, "!")
	if isError {
		want = prefix + strings.TrimPrefix(want, prefix)
	}
	if got.IsError != isError || got.Content[0].Text != want {
		t.Errorf("%s: is_error %v, want %v; text (-want +got):\n%s", input, got.IsError, isError, cmp.Diff(want, got.Content[0].Text))
	}
}

// checkHistory checks that each change of the session is a version by the author.
func checkHistory(t *testing.T, ws *workspace.Workspace) {
	t.Helper()
	if got, want := content(t, ws, "kept/plan.md"), "zero\none\ntwo <&> \u2028 é\n3\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
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
	ws := newWorkspace(t)
	client, srv := newModel(t, calls(`{"command":"create","path":"/memories/a.md","file_text":"a"}`))
	tool := memorytool.New(ws, memorytool.Options{})
	testkit.Must(t, run(t.Context(), client, tool))
	if content(t, ws, "a.md") != "a" {
		t.Error("the file was not written")
	}
	var request struct{ Tools []json.RawMessage }
	testkit.Must(t, json.Unmarshal(srv.Requests()[0], &request))
	want := fmt.Sprintf(`{"name":"memory","description":%s,"input_schema":%s}`, quoted(tool.Description()), memorytool.Schema())
	if got := string(request.Tools[0]); !sameJSON(t, got, want) {
		t.Errorf("the tool is\n%s\nwant\n%s", got, want)
	}
}
