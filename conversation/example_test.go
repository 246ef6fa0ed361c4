package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// answer is a fake model. It knows only the messages that it is given.
func answer(msgs []conversation.Message) conversation.Message {
	question := msgs[len(msgs)-1].Content
	said := ""
	for _, m := range msgs {
		switch {
		case strings.Contains(question, "just say") && m.Role == conversation.User && m.Content != question:
			said = fmt.Sprintf("You said %q.", m.Content)
		case strings.Contains(question, "budget") && strings.Contains(m.Content, "$700"):
			said = "Your budget is $700."
		case strings.Contains(question, "should I do") && strings.Contains(m.Content, "$780"):
			said = "The fare is $80 above your budget: wait."
		}
	}
	if said == "" {
		said = "Noted."
	}
	return conversation.AssistantText(said)
}

// A History keeps the messages of a conversation.
func ExampleHistory() {
	var history conversation.History
	for _, question := range []string{"Hello!", "What did I just say?"} {
		history.Push(conversation.UserText(question))
		history.Push(answer(history.All()))
	}
	for _, m := range history.Slice(-2, conversation.End) {
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Output:
	// user: What did I just say?
	// assistant: You said "Hello!".
}

// An agent takes notes while it works, and puts them into its last prompt.
func ExampleNotes() {
	var notes conversation.Notes
	notes.Note("The user asks for flights to Tokyo.")
	notes.Note("The cheapest fare is $780, on March 15.")
	notes.Note("The user's budget is $700.")
	reply := answer([]conversation.Message{
		conversation.SystemText("Working notes:\n" + notes.Render(conversation.NotesOptions{MaxTokens: 500})),
		conversation.UserText("What should I do?"),
	})
	fmt.Println(reply.Content)
	fmt.Println(notes.Render(conversation.NotesOptions{MaxTokens: 15})) // the newest notes that fit
	// Output:
	// The fare is $80 above your budget: wait.
	// The user's budget is $700.
}

// A conversation of any length has at most 29 messages in its window. The older ones
// are replaced by a summary.
func ExampleMemory() {
	ctx := context.Background()
	memory, err := conversation.New(conversation.Options{
		Max:         20,
		SummarizeAt: 30,
		Summarize: func(_ context.Context, r conversation.Request) (string, error) {
			first := r.Previous // the new summary replaces it
			if first == "" {
				first = fmt.Sprintf("The conversation began with %q.", r.Messages[0].Content)
			}
			return first, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	chat := func(question string) string {
		if err := memory.Append(ctx, conversation.UserText(question)); err != nil {
			return err.Error()
		}
		reply := answer(memory.Messages())
		if err := memory.Append(ctx, reply); err != nil {
			return err.Error()
		}
		return reply.Content
	}
	fmt.Println(chat("I have $700 for a flight to Tokyo."))
	most := 0
	for day := range 100 {
		chat(fmt.Sprintf("And on day %d?", day+1))
		most = max(most, len(memory.Messages()))
	}
	fmt.Println("At most", most, "messages.")
	fmt.Println(chat("What was my budget?"))
	summary, _ := memory.Summary()
	fmt.Println(summary)
	// Output:
	// Noted.
	// At most 29 messages.
	// Your budget is $700.
	// The conversation began with "I have $700 for a flight to Tokyo.".
}

// A conversation continues after its process was killed while a tool ran. The call is
// answered before anything else is appended.
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
		if err != nil && !errors.As(err, &torn) { // a TornError comes beside a journal that works
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
	}) // the process ends before the tool returns
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
