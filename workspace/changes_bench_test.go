package workspace_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// BenchmarkChanges has a journal of 10,000 rows in a database file. The floor is one read
// of a file's head in the same store.
func BenchmarkChanges(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "scratchpad.db"), sqlite.Options{})
	testkit.Must(b, err)
	defer store.Close()
	svc := serviceOn(b, store, workspace.Options{})
	ws := agentOf(b, svc, "a")
	for i := range 10_000 {
		write(b, ws, fmt.Sprintf("notes/%03d.md", i%200), "content")
	}
	for _, c := range []struct {
		name  string
		o     workspace.ChangesOptions
		paths int
	}{
		{"nothing", workspace.ChangesOptions{Since: 10_000}, 0},
		{"100paths", workspace.ChangesOptions{Since: 9_900}, 100},
		{"diffs", workspace.ChangesOptions{Since: 9_900, Diffs: true}, 100},
		{"recent", workspace.ChangesOptions{Recent: true}, 20},
		{"allrows", workspace.ChangesOptions{Since: 0, Prefix: "none"}, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := changes(b, ws, c.o); len(got.Paths) != c.paths {
					b.Fatalf("%d paths, want %d", len(got.Paths), c.paths)
				}
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			err := store.View(context.Background(), port.Owner{Tenant: "local", Agent: "a"}, func(r port.Reader) error {
				_, err := r.Load(port.Query{File: "notes/000.md"})
				return err
			})
			testkit.Must(b, err)
		}
	})
}
