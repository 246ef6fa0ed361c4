package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An agent writes a plan, edits it, and asks what changed since it last read it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	store, err := sqlite.Open(ctx, filepath.Join(dir, "scratchpad.db"), sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
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

	plan := "# Plan\n"
	for i := range 20 {
		plan += fmt.Sprintf("%d. Read chapter %d of the specification and write down what it asks for\n", i+1, i+1)
	}
	plan += "21. Rest\n"
	w, err := ws.WriteFile(ctx, "plan.md", []byte(plan), workspace.WriteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("wrote version", w.Version)
	if _, err := ws.EditFile(ctx, "plan.md", "21. Rest", "21. Test", workspace.EditOptions{}); err != nil {
		log.Fatal(err)
	}
	r, err := ws.ReadFile(ctx, "plan.md", workspace.ReadOptions{Since: w.Version})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("version %d: %s\n", r.Current, linediff.AppendJSON(nil, r.Diff))

	if _, err := ws.AppendLog(ctx, "decisions", []byte("test before resting"), []byte("rest anyway")); err != nil {
		log.Fatal(err)
	}
	page, err := ws.ReadLog(ctx, "decisions", workspace.ReadLogOptions{Since: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range page.Entries {
		fmt.Printf("entry %d: %s\n", e.ID, e.Content)
	}
	// Output:
	// wrote version 1
	// version 2: [{"op":"equal","count":21},{"op":"remove","lines":["21. Rest"]},{"op":"add","lines":["21. Test"]}]
	// entry 2: rest anyway
}

// A program reads the way out of an error from its fields.
func ExampleError() {
	ctx := context.Background()
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ws, err := svc.Agent("agent-1")
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"Monday\n", "Tuesday\n"} {
		if _, err := ws.WriteFile(ctx, "plan.md", []byte(text), workspace.WriteOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	seen := int64(1)
	_, err = ws.WriteFile(ctx, "plan.md", []byte("Friday\n"), workspace.WriteOptions{IfVersion: &seen})
	fmt.Println(err)
	var e *workspace.Error
	if errors.As(err, &e) && e.Way.Do == store.DoReadSince {
		r, err := ws.ReadFile(ctx, e.Object, workspace.ReadOptions{Since: e.Way.N})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("version %d: %s", r.Current, r.Content)
	}
	// Output:
	// write plan.md: it is at version 2, IfVersion is 1; read it with Since 1 to see what changed: conflict
	// version 2: Tuesday
}

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
