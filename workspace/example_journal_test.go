package workspace_test

import (
	"context"
	"fmt"
	"log"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A conversation is kept in an agent's log, one record an entry.
func ExampleJournal() {
	ctx := context.Background()
	store := memstore.New() // sqlite.Open for one that lasts
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer svc.Close(ctx)
	ws, err := svc.Agent("agent-1")
	if err != nil {
		log.Fatal(err)
	}

	journal := workspace.Journal(ws, "chat/2026-11-21")
	question, answer := conversation.UserText("How tall is the tower?"), conversation.AssistantText("330 m.")
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
		fmt.Println(r.Seq, r.Kind, r.Message.Role, r.Message.Content)
	}
	page, err := ws.ReadLog(ctx, "chat/2026-11-21", workspace.ReadLogOptions{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", page.Entries[0].Content)
	// Output:
	// 1 message user How tall is the tower?
	// 2 message assistant 330 m.
	// {"kind":"message","message":{"role":"user","content":"How tall is the tower?"}}
}
