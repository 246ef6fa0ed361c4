package memorytool_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/memorytool"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// newAgent returns a new agent in memory. Programs use package sqlite or postgres.
func newAgent() *workspace.Workspace {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ws, err := svc.Agent("agent-1")
	if err != nil {
		log.Fatal(err)
	}
	return ws.As(workspace.Author{Client: "example"})
}

// The tool runner of the SDK answers the calls of the model.
func Example() {
	ctx := context.Background()
	srv := providertest.Anthropic( // a fake model with these answers
		providertest.Reply{Calls: []providertest.Call{{Name: "memory", Arguments: `{"command":"view","path":"/memories"}`}}},
		providertest.Reply{Calls: []providertest.Call{{Name: "memory", Arguments: `{"command":"create","path":"/memories/user.md","file_text":"Prefers trains.\n"}`}}},
		providertest.Reply{Text: "I shall remember that."},
	)
	defer srv.Close()
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))

	ws := newAgent()
	runner := client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{memorytool.New(ws, memorytool.Options{})}, anthropic.BetaToolRunnerParams{
		DisableThread: true, // the fake model keeps nothing between requests
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model:     anthropic.ModelClaudeOpus4_8,
			MaxTokens: 4096,
			Messages:  []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("I prefer trains."))},
			Tools:     []anthropic.BetaToolUnionParam{memorytool.BetaDefinition()},
		},
	})
	answer, err := runner.RunToCompletion(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Content[0].Text)
	file, err := ws.ReadFile(ctx, "user.md", workspace.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("user.md, version %d: %s", file.Version, file.Content)
	// Output:
	// I shall remember that.
	// user.md, version 1: Prefers trains.
}

// A loop of one's own answers the calls in the order of the response.
func ExampleTool_Result() {
	ctx := context.Background()
	srv := providertest.Anthropic( // a fake model with these answers
		providertest.Reply{Calls: []providertest.Call{
			{Name: "memory", Arguments: `{"command":"create","path":"/memories/todo.md","file_text":"1. Book the train\n"}`},
			{Name: "memory", Arguments: `{"command":"insert","path":"/memories/todo.md","insert_line":1,"insert_text":"2. Pack"}`},
		}},
		providertest.Reply{Text: "Both are on the list."},
	)
	defer srv.Close()
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))

	tool := memorytool.New(newAgent(), memorytool.Options{})
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Book the train, then pack."))}
	for {
		response, err := client.Messages.New(ctx, anthropic.MessageNewParams{
			Model:     anthropic.ModelClaudeOpus4_8,
			MaxTokens: 4096,
			Messages:  messages,
			Tools:     []anthropic.ToolUnionParam{memorytool.Definition()},
		})
		if err != nil {
			log.Fatal(err)
		}
		if response.StopReason != anthropic.StopReasonToolUse {
			fmt.Println(response.Content[0].Text)
			return
		}
		var results []anthropic.ContentBlockParamUnion
		for _, block := range response.Content {
			if call, is := block.AsAny().(anthropic.ToolUseBlock); is {
				results = append(results, tool.Result(ctx, call))
			}
		}
		for _, r := range results {
			fmt.Println(r.OfToolResult.Content[0].OfText.Text)
		}
		messages = append(messages, response.ToParam(), anthropic.NewUserMessage(results...))
	}
	// Output:
	// File created successfully at: /memories/todo.md
	// The file /memories/todo.md has been edited.
	// Both are on the list.
}
