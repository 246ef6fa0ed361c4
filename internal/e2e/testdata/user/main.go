// Command user is the first program of somebody who imports the module.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, path string) error {
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		return err
	}
	defer svc.Close(ctx)
	ws, err := svc.Agent("agent-1")
	if err != nil {
		return err
	}
	if _, err := ws.WriteFile(ctx, "plan.md", []byte("released"), workspace.WriteOptions{}); err != nil {
		return err
	}
	r, err := ws.ReadFile(ctx, "plan.md", workspace.ReadOptions{})
	fmt.Printf("version %d: %s\n", r.Current, r.Content)
	return err
}
