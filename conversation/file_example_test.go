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
