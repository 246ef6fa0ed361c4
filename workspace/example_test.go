package workspace_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
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
