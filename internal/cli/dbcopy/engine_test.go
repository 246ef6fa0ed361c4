package dbcopy_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var quiet = sqlite.Options{Logger: slog.New(slog.DiscardHandler)}

// openNamed opens a database of either kind.
func openNamed(name string) (workspace.Store, error) {
	if strings.HasPrefix(name, "postgres://") {
		return postgres.Open(context.Background(), name, postgres.Options{Logger: quiet.Logger})
	}
	return sqlite.Open(context.Background(), name, quiet)
}

// openToRead opens a database for reading only.
func openToRead(name string) (workspace.Store, error) {
	if strings.HasPrefix(name, "postgres://") {
		return postgres.OpenReadOnly(context.Background(), name, postgres.Options{Logger: quiet.Logger})
	}
	return sqlite.OpenReadOnly(context.Background(), name, quiet)
}

// eachName runs a test with names of new databases of each kind.
func eachName(t *testing.T, test func(t *testing.T, name func(testing.TB) string)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, func(t testing.TB) string { return filepath.Join(t.TempDir(), "target.db") })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, pgtest.URL)
	})
}

// eachEngine runs a test with new databases of each kind.
func eachEngine(t *testing.T, test func(t *testing.T, open func(testing.TB) workspace.Store)) {
	eachName(t, func(t *testing.T, name func(testing.TB) string) {
		test(t, func(t testing.TB) workspace.Store {
			s, err := openNamed(name(t))
			testkit.Must(t, err)
			t.Cleanup(func() { s.Close() })
			return s
		})
	})
}
