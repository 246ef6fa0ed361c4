package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
)

// A context that has ended before the statement runs interrupts it too.
func TestEachUntilEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 20000000) SELECT count(*) FROM n"
	for range 3 {
		c, err := Dial(filepath.Join(t.TempDir(), "v.db"), "rwc")
		testkit.Must(t, err)
		if err := c.EachUntil(ctx, func(*row.Fields) error { return nil }, query); !errors.Is(err, context.Canceled) {
			t.Errorf("EachUntil = %v, want the context's error", err)
		}
		testkit.Must(t, c.Close())
	}
}
