package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store { return open(t, filepath.Join(t.TempDir(), "test.db")) })
}

func TestStoreDurable(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	storetest.RunDurable(t, func(t testing.TB) (store.Store, func() store.Store) {
		path := filepath.Join(t.TempDir(), "test.db")
		s := open(t, path)
		return s, func() store.Store { s = open(t, path); return s }
	})
}

func TestStoreShared(t *testing.T) {
	t.Parallel()
	storetest.RunShared(t, func(t testing.TB) (a, b store.Store) {
		path := filepath.Join(t.TempDir(), "test.db")
		return open(t, path), open(t, path)
	})
}

func TestStoreLarge(t *testing.T) {
	testkit.SkipInShort(t)
	storetest.RunLarge(t, func(t testing.TB) store.Store { return open(t, filepath.Join(t.TempDir(), "test.db")) })
}
