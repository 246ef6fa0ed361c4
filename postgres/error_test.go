package postgres_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A message of the server may name what only the operator knows. It goes to the log, once
// for each call. The caller gets a kind and the class of the error. The detail of a message
// quotes the row, and goes nowhere.
func TestErrorsOfServerAreLogged(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	var log bytes.Buffer
	w := agent(t, openWith(t, url, postgres.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}), "agent")
	write := func() error {
		return testkit.Err(w.WriteFile(t.Context(), "plan.md", []byte("text"), workspace.WriteOptions{}))
	}
	read := func() error {
		return testkit.Err(w.ReadFile(t.Context(), "plan.md", workspace.ReadOptions{}))
	}
	testkit.Must(t, write())
	for _, c := range []struct {
		name, change, class, logged string
		call                        func() error
		kind                        error
	}{
		{"write", "ALTER TABLE versions ADD CONSTRAINT inner_name CHECK (version < 2); SELECT 1", "23", "inner_name", write, store.ErrCorrupt},
		{"read", "ALTER TABLE versions RENAME TO inner_table; SELECT 1", "42", `\"versions\" does not exist`, read, store.ErrUnsupported},
	} {
		ask(t, url, c.change)
		log.Reset()
		err := c.call()
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), "an error of class "+c.class) || strings.Contains(err.Error(), "relation") {
			t.Errorf("%s: %v, want %v with the class %s and without the server's message", c.name, err, c.kind, c.class)
		}
		if got := log.String(); strings.Count(got, "sqlstate="+c.class) != 1 || strings.Count(got, c.logged) != 1 || strings.Contains(got, "plan.md") {
			t.Errorf("%s: the log has %q, want the server's message once and nothing of the row", c.name, got)
		}
	}
}
