package workspace_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// BenchmarkFindAgents reads a page of 10,000 agents.
func BenchmarkFindAgents(b *testing.B) {
	for name, open := range map[string]func() (workspace.Store, error){
		"sqlite": func() (workspace.Store, error) {
			return sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "s.db"), sqlite.Options{Durability: sqlite.Normal})
		},
		"postgres": func() (workspace.Store, error) {
			return postgres.Open(b.Context(), pgtest.URL(b), postgres.Options{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			store, err := open()
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			fillAgents(b, store)
			svc := serviceOn(b, store, workspace.Options{})
			prefixes, exact := []string{}, []string{}
			for i := range 100 {
				prefixes, exact = append(prefixes, fmt.Sprintf("agent-%02d*", i)), append(exact, fmt.Sprintf("agent-%04d", i*97))
			}
			for _, q := range []struct {
				name string
				workspace.AgentsQuery
			}{
				{"name", workspace.AgentsQuery{Patterns: []string{"*"}}},
				{"updated", workspace.AgentsQuery{Patterns: []string{"*"}, Order: workspace.ByUpdated}},
				{"bytes", workspace.AgentsQuery{Patterns: []string{"*"}, Order: workspace.ByBytes}},
				{"part", workspace.AgentsQuery{Patterns: []string{"*"}, Order: workspace.ByUpdated, Part: "T-77"}},
				{"100prefixes", workspace.AgentsQuery{Patterns: prefixes, Order: workspace.ByUpdated}},
				{"100names", workspace.AgentsQuery{Patterns: exact, Order: workspace.ByUpdated}},
			} {
				b.Run(q.name, func(b *testing.B) {
					for b.Loop() {
						if page, err := svc.FindAgents(b.Context(), q.AgentsQuery); err != nil || len(page.Agents) != 50 {
							b.Fatalf("%d agents, %v", len(page.Agents), err)
						}
					}
				})
			}
		})
	}
}

// fillAgents stores 10,000 agents.
func fillAgents(b *testing.B, store workspace.Store) {
	done := make(chan error)
	const each = 20
	for w := range 10_000 / each {
		go func() {
			for i := range each {
				n := w*each + i
				err := store.Update(b.Context(), workspace.Owner{Tenant: "local", Agent: fmt.Sprintf("agent-%04d", n)}, func(tx workspace.Tx) error {
					return tx.SaveOwner(workspace.OwnerState{Usage: workspace.Usage{Files: 1, Bytes: int64(n * 7919 % 10_007)}, Updated: time.Unix(int64(n*104_729%10_007), 0).UTC()})
				})
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 10_000 / each {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
