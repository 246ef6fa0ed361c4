package memorytool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/memorytool"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return string(text)
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	testkit.Must(t, errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)))
	return reflect.DeepEqual(x, y)
}

// A slowStore calls a function before each transaction.
type slowStore struct {
	workspace.Store
	before func(ctx context.Context)
}

func (s *slowStore) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	s.before(ctx)
	return s.Store.Update(ctx, o, fn)
}

func (s *slowStore) View(ctx context.Context, o port.Owner, fn func(port.Reader) error) error {
	s.before(ctx)
	return s.Store.View(ctx, o, fn)
}

// ask is a loop of one's own.
func ask(ctx context.Context, client anthropic.Client, tool *memorytool.Tool) error {
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Go on."))}
	for {
		response, err := client.Messages.New(ctx, anthropic.MessageNewParams{
			Model: "claude-haiku-4-5", MaxTokens: 1024, Messages: messages,
			Tools: []anthropic.ToolUnionParam{memorytool.Definition()},
		})
		if err != nil {
			return err
		}
		if response.StopReason != anthropic.StopReasonToolUse {
			return nil
		}
		var results []anthropic.ContentBlockParamUnion
		for _, block := range response.Content {
			if call, is := block.AsAny().(anthropic.ToolUseBlock); is {
				results = append(results, tool.Result(ctx, call))
			}
		}
		messages = append(messages, response.ToParam(), anthropic.NewUserMessage(results...))
	}
}

// In a loop of one's own the calls of a turn run in order, and the texts are the
// documented ones.
func TestResultInALoopOfOnesOwn(t *testing.T) {
	var turn []providertest.Call
	for _, c := range session {
		turn = append(turn, calls(c.input)...)
	}
	ws := newWorkspace(t)
	client, srv := newModel(t, turn, []providertest.Call{{Name: "other", Arguments: `{"a":1}`}})
	testkit.Must(t, ask(t.Context(), client, memorytool.New(ws, memorytool.Options{})))
	answers := results(t, srv)
	for i, r := range answers[0] {
		checkResult(t, session[i].input, session[i].want, r, "")
	}
	checkResult(t, "the call of another tool", `!there is no tool "other"; the tool is memory`, answers[1][0], "")
	checkHistory(t, ws)
}

func TestDefinitions(t *testing.T) {
	for name, definition := range map[string]json.Marshaler{"Messages": memorytool.Definition(), "Beta": memorytool.BetaDefinition()} {
		got, err := definition.MarshalJSON()
		if err != nil || string(got) != native {
			t.Errorf("%s: %s, %v, want %s", name, got, err, native)
		}
	}
	d := memorytool.Definition()
	d.OfMemoryTool20250818.CacheControl = anthropic.NewCacheControlEphemeralParam()
	if again := memorytool.Definition(); again.OfMemoryTool20250818 == d.OfMemoryTool20250818 {
		t.Error("two definitions share their fields")
	}
	schema, err := memorytool.New(newWorkspace(t), memorytool.Options{}).InputSchema().MarshalJSON()
	if err != nil || !sameJSON(t, string(schema), string(memorytool.Schema())) {
		t.Errorf("the schema is\n%s, %v, want\n%s", schema, err, memorytool.Schema())
	}
}

// A panic in the store is an answer for the model. The process and the Tool go on.
func TestPanicOfTheStore(t *testing.T) {
	var broken atomic.Bool
	store := &slowStore{openStore(t), func(context.Context) {
		if broken.Load() {
			panic("the disk is on fire")
		}
	}}
	ws := agentOn(t, store)
	write(t, ws, "a.md", "a\n")
	var log bytes.Buffer
	tool := memorytool.New(ws, memorytool.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	broken.Store(true)
	inputs := []string{
		`{"command":"view","path":"/memories/a.md"}`,
		`{"command":"create","path":"/memories/b.md","file_text":"b"}`,
		`{"command":"delete","path":"/memories/a.md"}`,
	}
	client, srv := newModel(t, calls(inputs...))
	testkit.Must(t, run(t.Context(), client, tool, memorytool.BetaDefinition()))
	for i, r := range results(t, srv)[0] {
		checkResult(t, inputs[i], "!internal error", r, "Error: ")
	}
	if n := strings.Count(log.String(), "msg=panic"); n != len(inputs) || strings.Contains(log.String(), "on fire") {
		t.Errorf("the log tells of %d panics, want %d without their values:\n%s", n, len(inputs), log.String())
	}
	broken.Store(false)
	if text, isError := tool.Run(t.Context(), json.RawMessage(inputs[1])); isError {
		t.Errorf("after the panics: %s", text)
	}
}

// A Tool runs one command at a time. A command that waits for another one ends with its
// context, and has then done nothing.
func TestOneCommandAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var blocking atomic.Bool
		running, release := make(chan struct{}, 10), make(chan struct{})
		store := &slowStore{memstore.New(), func(context.Context) {
			if blocking.Load() {
				running <- struct{}{}
				<-release
			}
		}}
		ws := agentOn(t, store)
		tool := memorytool.New(ws, memorytool.Options{})
		blocking.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				input := fmt.Sprintf(`{"command":"create","path":"/memories/%d.md","file_text":""}`, i)
				if text, isError := tool.Run(t.Context(), json.RawMessage(input)); isError {
					t.Errorf("%s: %s", input, text)
				}
			})
		}
		synctest.Wait()
		var gaveUp atomic.Bool
		group.Go(func() {
			text, isError := tool.Run(ctx, json.RawMessage(`{"command":"create","path":"/memories/late.md","file_text":""}`))
			if want := "the command was cancelled before it did anything"; !isError || text != want {
				t.Errorf("the cancelled command: is_error %v, %q, want %q", isError, text, want)
			}
			gaveUp.Store(true)
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		if n := len(running); n != 1 {
			t.Errorf("%d commands run, want 1", n)
		}
		if !gaveUp.Load() {
			t.Error("the cancelled command still waits")
		}
		blocking.Store(false)
		close(release)
		group.Wait()
		list, err := ws.ListFiles(t.Context(), workspace.ListOptions{})
		if err != nil || len(list.Files) != 8 || list.Files[7].Path == "late.md" {
			t.Errorf("the files are %+v, %v, want those of the 8 commands", list.Files, err)
		}
	})
}

// A runner whose context ends during a turn ends with the context's error.
func TestRunnerHeedsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var cancelling atomic.Bool
	ws := agentOn(t, &slowStore{openStore(t), func(context.Context) {
		if cancelling.Load() {
			cancel()
		}
	}})
	client, srv := newModel(t, calls(`{"command":"create","path":"/memories/a.md","file_text":"a"}`, `{"command":"create","path":"/memories/b.md","file_text":"b"}`))
	cancelling.Store(true)
	if err := run(ctx, client, memorytool.New(ws, memorytool.Options{})); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want that of the context", err)
	}
	cancelling.Store(false)
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("there were %d requests, want 1", n)
	}
	if list, err := ws.ListFiles(t.Context(), workspace.ListOptions{}); err != nil || len(list.Files) > 0 {
		t.Errorf("there are %d files, %v, want none", len(list.Files), err)
	}
}
