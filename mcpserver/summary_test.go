package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// longFile is long enough for a summary.
var longFile = strings.Repeat("a line of a long file\n", 500)

// asking returns a Summarizer that calls a model.
func asking(do func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error)) *workspace.Summarizer {
	return &workspace.Summarizer{Method: "anthropic", Model: "model-1", Prompt: "1", Remote: true, Summarize: do}
}

func says(text string) *workspace.Summarizer {
	return asking(func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		return workspace.SummaryText{Text: text}, nil
	})
}

// summarizing returns a server bound to the agent a, who has a long file at f.
func summarizing(t testing.TB, s *workspace.Summarizer) (*mcpserver.Server, *workspace.Workspace) {
	t.Helper()
	svc := newService(t, workspace.Options{Summarizer: s})
	ws := agentOf(t, svc, "a")
	writeLong(t, ws)
	return newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Summarizer: s}), ws
}

func writeLong(t testing.TB, ws *workspace.Workspace) {
	t.Helper()
	if _, err := ws.WriteFile(t.Context(), "f", []byte(longFile), workspace.WriteOptions{}); err != nil {
		t.Error(err)
	}
}

// A summary says that it is one, who made it, and of which version.
func TestSummaryIsMarked(t *testing.T) {
	server, ws := summarizing(t, says("It is long.\n"))
	s := connect(t, server)
	const body = "Summary of version 1, made by anthropic (model-1); not the file's own words.\n\nIt is long.\n"
	for _, cached := range []bool{false, true} {
		want := []string{fmt.Sprintf(`{"path":"f","current_version":1,"cached":%v,"estimated_tokens":4,"method":"anthropic"}`, cached), body}
		if diff := cmp.Diff(want, mustCall(t, s, "summarize_file", m{"path": "f"})); diff != "" {
			t.Errorf("cached %v (-want +got):\n%s", cached, diff)
		}
	}
	writeLong(t, ws)
	if got := mustCall(t, s, "summarize_file", m{"path": "f"}); !strings.Contains(got[0], `"current_version":2,"cached":false`) {
		t.Errorf("of a new version = %q, want another summary", got)
	}
}

// A summary says so if the file has a newer version.
func TestSummaryOfAnOlderVersion(t *testing.T) {
	var ws *workspace.Workspace
	server, ws := summarizing(t, asking(func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		writeLong(t, ws)
		return workspace.SummaryText{Text: "It is long."}, nil
	}))
	want := []string{
		`{"path":"f","current_version":1,"newer_version":2,"cached":false,"estimated_tokens":4,"method":"anthropic"}`,
		"Summary of version 1, made by anthropic (model-1); not the file's own words. The file is at version 2 now.\n\nIt is long.",
	}
	if diff := cmp.Diff(want, mustCall(t, connect(t, server), "summarize_file", m{"path": "f"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A summary of what was redacted or deleted meanwhile reaches nobody.
func TestSummaryOfWhatIsGoneMeanwhile(t *testing.T) {
	for says, remove := range map[string]func(context.Context, *workspace.Workspace) error{
		"summarize f: version 1 was redacted at ": func(ctx context.Context, ws *workspace.Workspace) error {
			writeLong(t, ws)
			_, err := ws.RedactVersion(ctx, "f", 1, workspace.RedactOptions{})
			return err
		},
		"summarize f: it was deleted meanwhile": func(ctx context.Context, ws *workspace.Workspace) error {
			_, err := ws.DeleteFile(ctx, "f", workspace.DeleteOptions{})
			return err
		},
	} {
		var ws *workspace.Workspace
		server, ws := summarizing(t, asking(func(ctx context.Context, _ workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "It is SECRET."}, remove(ctx, ws)
		}))
		newWire(t, server).refused("summarize_file", `{"path":"f"}`, "", says)
	}
}

// Without a Summarizer there is no such tool, and no text names it.
func TestNoSummarizer(t *testing.T) {
	server := must(mcpserver.New(mcpserver.Options{Workspace: workspaces(newService(t, workspace.Options{}), "")}))(t)
	s := connect(t, server)
	list := listTools(t, s)
	if len(list) != len(storageTools)-1 || slices.ContainsFunc(list, func(tool *mcp.Tool) bool { return tool.Name == "summarize_file" }) {
		t.Errorf("%d tools, want %d without summarize_file", len(list), len(storageTools)-1)
	}
	if strings.Contains(s.InitializeResult().Instructions, "summarize_file") {
		t.Error("the instructions tell of a tool that is not there")
	}
	if res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "summarize_file", Arguments: m{"agent_id": "a", "path": "f"}}); err == nil {
		t.Errorf("summarize_file = %v, want a protocol error", res)
	}
}

// The error of a provider reaches the model in the words of the Summarizer.
func TestSummaryFails(t *testing.T) {
	server, _ := summarizing(t, asking(func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		return workspace.SummaryText{}, fmt.Errorf("anthropic at api.anthropic.com: %s; wait until 5 pm: %w", strings.Repeat("overloaded ", 500), workspace.ErrProvider)
	}))
	w := newWire(t, server)
	w.refused("summarize_file", `{"path":"f"}`, "", "summarize f: anthropic at api", "overloaded", "wait until 5 pm: the model's provider")
}

// A model may take longer than the store. When a call gives up, its work goes on, and the
// next call gets the summary.
func TestSummaryTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan string)
		server, _ := summarizing(t, asking(func(ctx context.Context, _ workspace.SummaryRequest) (workspace.SummaryText, error) {
			select {
			case text := <-answer:
				return workspace.SummaryText{Text: text}, nil
			case <-ctx.Done():
				return workspace.SummaryText{}, ctx.Err()
			}
		}))
		w := newWire(t, server)
		w.patience = time.Hour
		began := time.Now()
		w.refused("summarize_file", `{"path":"f"}`, "", "ask again in a minute", "busy")
		if took := time.Since(began); took != 3*time.Minute {
			t.Errorf("the call has waited %v, want 3m", took)
		}
		w.send(request("2", "summarize_file", `{"path":"f"}`))
		answer <- "It came late."
		if text, isError := w.must().tool(t); isError || !strings.Contains(text, "It came late.") {
			t.Errorf("the next call = %q, want the summary", text)
		}
	})
}
