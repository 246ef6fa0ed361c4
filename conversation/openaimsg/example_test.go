package openaimsg_test

import (
	"context"
	"fmt"
	"log"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
)

// The loop of an agent with a tool. It ends when the model has no more calls.
func Example() {
	ctx := context.Background()
	srv := providertest.OpenAI( // a fake provider with these answers
		providertest.Reply{Thinking: "I shall look.", Calls: []providertest.Call{{Name: "list"}}},
		providertest.Reply{Text: "There are a.go and b.go."},
	)
	defer srv.Close()
	client := openai.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey("none"))
	list := openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "list"})

	memory, err := conversation.New(conversation.Options{
		SummarizeAt: 60,
		KeepLast:    20,
		Summarize:   openaimsg.Summarizer(client, openai.ChatModelGPT5_4Mini),
	})
	if err != nil {
		log.Fatal(err)
	}
	next := []conversation.Message{conversation.SystemText("You look after a repository."), conversation.UserText("What is there?")}
	for len(next) > 0 {
		if err := memory.Append(ctx, next...); err != nil {
			log.Fatal(err)
		}
		messages, err := openaimsg.ToChat(memory.Messages())
		if err != nil {
			log.Fatal(err)
		}
		completion, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: openai.ChatModelGPT5_6Sol, Messages: messages, Tools: []openai.ChatCompletionToolUnionParam{list},
		})
		if err != nil {
			log.Fatal(err)
		}
		answer, err := openaimsg.FromChatMessage(completion.Choices[0].Message)
		if err != nil {
			log.Fatal(err)
		}
		// The answer is appended before its tools run, so that the journal has the calls.
		if err := memory.Append(ctx, answer); err != nil {
			log.Fatal(err)
		}
		next = nil
		for _, call := range answer.ToolCalls {
			next = append(next, conversation.ToolResult(call.ID, "a.go b.go"))
		}
	}
	fmt.Print(conversation.Transcript(memory.Messages()))
	// Output:
	// »system: You look after a repository.
	// »user: What is there?
	// »call list: {}
	// »result list: a.go b.go
	// »assistant: There are a.go and b.go.
}
