package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

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
	if errors.As(err, &e) && e.Way.Do == workspace.DoReadSince {
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
