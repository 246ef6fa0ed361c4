package postgres_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func open(t testing.TB, url string) *postgres.Store {
	t.Helper()
	return openStore(t, url, postgres.Options{})
}

func TestStore(t *testing.T) {
	t.Parallel()
	pgtest.URL(t) // skips all of it where there is no PostgreSQL
	storetest.Run(t, func(t testing.TB) store.Store { return open(t, pgtest.URL(t)) })
}

func TestStoreDurable(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	pgtest.URL(t)
	storetest.RunDurable(t, func(t testing.TB) (store.Store, func() store.Store) {
		url := pgtest.URL(t)
		s := open(t, url)
		return s, func() store.Store { s = open(t, url); return s }
	})
}

func TestStoreShared(t *testing.T) {
	t.Parallel()
	pgtest.URL(t)
	storetest.RunShared(t, func(t testing.TB) (a, b store.Store) {
		url := pgtest.URL(t)
		return open(t, url), open(t, url)
	})
}

func TestStoreLarge(t *testing.T) {
	testkit.SkipInShort(t)
	storetest.RunLarge(t, func(t testing.TB) store.Store { return open(t, pgtest.URL(t)) })
}
