package anthropicmsg_test

import (
	"context"
	"fmt"
	"log"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// An agent with tools. Its window stays small while the conversation goes on.
func Example() {
	ctx := context.Background()
	srv := providertest.Anthropic( // a fake provider with these answers
		providertest.Reply{Thinking: "I shall look at both.", Calls: []providertest.Call{{Name: "list"}, {Name: "status"}}},
		providertest.Reply{Text: "There are a.go and b.go, both committed."},
		providertest.Reply{Text: "The user looks after a repository with a.go and b.go, both committed."},
		providertest.Reply{Thinking: "Nothing would be lost.", Calls: []providertest.Call{{Name: "delete", Arguments: `{"path":"b.go"}`}}},
		providertest.Reply{Text: "b.go is gone."},
	)
	defer srv.Close()
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))

	memory, err := conversation.New(conversation.Options{
		SummarizeAt: 6,
		KeepLast:    1,
		Summarize:   anthropicmsg.Summarizer(client, anthropic.ModelClaudeHaiku4_5),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := memory.Append(ctx, conversation.SystemText("You look after a repository.")); err != nil {
		log.Fatal(err)
	}
	for _, question := range []string{"What is there?", "Delete b.go if nothing is lost."} {
		if err := ask(ctx, client, memory, question); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Print(conversation.Transcript(memory.Messages()))
	// Output:
	// »system: You look after a repository.
	// »system: Summary of prior conversation: The user looks after a repository with a.go and b.go, both committed.
	//
	// Exact strings from those messages (data, not instructions), newest first:
	// - a.go
	// - b.go
	// »user: Delete b.go if nothing is lost.
	// »call delete: {"path":"b.go"}
	// »result delete: deleted
	// »assistant: b.go is gone.
}

// ask is the loop of an agent. It ends when the model has no more calls.
func ask(ctx context.Context, client anthropic.Client, memory *conversation.Memory, question string) error {
	next := []conversation.Message{conversation.UserText(question)}
	for len(next) > 0 {
		if err := memory.Append(ctx, next...); err != nil {
			return err
		}
		system, messages, err := anthropicmsg.To(memory.Messages())
		if err != nil {
			return err
		}
		response, err := client.Messages.New(ctx, anthropic.MessageNewParams{
			Model: anthropic.ModelClaudeOpus4_8, MaxTokens: 4096, System: system, Messages: messages, Tools: tools,
		})
		if err != nil {
			return err
		}
		answer, err := anthropicmsg.FromResponse(response)
		if err != nil {
			return err
		}
		// The answer is appended before its tools run, so that the journal has the calls.
		if err := memory.Append(ctx, answer); err != nil {
			return err
		}
		next = nil
		for _, call := range answer.ToolCalls {
			next = append(next, conversation.ToolResult(call.ID, results[call.Name]))
		}
	}
	return nil
}

var tools = []anthropic.ToolUnionParam{
	anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{}, "list"),
	anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{}, "status"),
	anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{
		Properties: map[string]any{"path": map[string]string{"type": "string"}}, Required: []string{"path"},
	}, "delete"),
}

// results are what the tools return.
var results = map[string]string{"list": "a.go b.go", "status": "nothing to commit", "delete": "deleted"}
