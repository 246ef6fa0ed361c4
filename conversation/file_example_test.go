package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// A conversation that outlives its process: killed while a tool ran, it is opened
// again, and the call is answered before anything else is said.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "conversation")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	session := func(work func(*conversation.Memory) error) {
		journal, err := conversation.FileJournal(filepath.Join(dir, "alice.jsonl"))
		var torn *conversation.TornError
		if err != nil && !errors.As(err, &torn) { // a torn end is reported beside a journal that works
			log.Fatal(err)
		}
		defer journal.Close()
		memory, err := conversation.Open(ctx, conversation.Options{
			SummarizeAt: 60, KeepLast: 20, Journal: journal,
			Summarize: func(context.Context, conversation.Request) (string, error) { return "", errors.New("no model here") },
		})
		if err != nil {
			log.Fatal(err)
		}
		defer memory.Close(ctx)
		if err := work(memory); err != nil {
			log.Fatal(err)
		}
	}
	session(func(memory *conversation.Memory) error {
		return memory.Append(ctx,
			conversation.UserText("Run the tests."),
			conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{{ID: "call_1", Name: "test", Arguments: []byte(`{}`)}}})
	}) // the process ends here, before the tool has
	session(func(memory *conversation.Memory) error {
		for _, call := range conversation.OpenCalls(memory.Messages()) {
			result := conversation.ToolResult(call.ID, "interrupted: it may have run")
			result.IsError = true
			if err := memory.Append(ctx, result); err != nil {
				return err
			}
		}
		if err := memory.Append(ctx, conversation.UserText("Go on.")); err != nil {
			return err
		}
		fmt.Println("problems:", len(conversation.Check(memory.Messages(), conversation.Anthropic)))
		fmt.Print(conversation.Transcript(memory.Messages()))
		return nil
	})
	// Output:
	// problems: 0
	// »user: Run the tests.
	// »call test: {}
	// »error test: interrupted: it may have run
	// »user: Go on.
}

// A journal is opened, appended to and read.
func ExampleFileJournal() {
	dir, err := os.MkdirTemp("", "conversation")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	journal, err := conversation.FileJournal(filepath.Join(dir, "alice.jsonl"))
	var torn *conversation.TornError
	if errors.As(err, &torn) {
		log.Print(err) // and go on: nothing that was acknowledged is lost
	} else if err != nil {
		log.Fatal(err)
	}
	defer journal.Close()

	ctx := context.Background()
	question := conversation.UserText("What is 6 times 7?")
	answer := conversation.AssistantText("42")
	err = journal.Append(ctx,
		conversation.Record{Kind: conversation.MessageRecord, Message: &question},
		conversation.Record{Kind: conversation.MessageRecord, Message: &answer})
	if err != nil {
		log.Fatal(err)
	}
	for r, err := range journal.Records(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Seq, r.Message.Role, r.Message.Content)
	}
	// Output:
	// 1 user What is 6 times 7?
	// 2 assistant 42
}
