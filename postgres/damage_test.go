package postgres_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// damages are what Verify finds. Each is undone before the next one.
var damages = []string{
	"UPDATE versions SET content = set_byte(content, 0, get_byte(content, 0) # 1) WHERE path = 'a.md' AND version = 1",
	"UPDATE versions SET content = content || 'x'",
	"UPDATE versions SET sha256 = set_byte(sha256, 31, get_byte(sha256, 31) # 1) WHERE version = 2",
	"UPDATE versions SET size = size + 1 WHERE version = 2",
	"UPDATE versions SET version = 3 WHERE version = 2",
	"UPDATE versions SET path = 'b.md' WHERE path = 'a.md'",
	"UPDATE versions SET content = set_byte(content, 3, get_byte(content, 3) # 1) WHERE path = 'secret' AND version = 1",
	"UPDATE versions SET content = '' WHERE path = 'secret' AND version = 1",
	"UPDATE versions SET sha256 = set_byte(sha256, 9, get_byte(sha256, 9) # 1) WHERE path = 'secret' AND version = 1",
	"UPDATE versions SET sha256 = decode(repeat('00', 32), 'hex') WHERE path = 'secret' AND version = 2",
	"UPDATE versions SET size = 6 WHERE path = 'secret' AND version = 1",
	"DELETE FROM versions WHERE version = 1",
	"DELETE FROM versions WHERE version = 2",
	"INSERT INTO versions SELECT owner, path, 3, size, sha256, client, client_version, key_id, created, content FROM versions WHERE version = 2",
	"UPDATE files SET version = version + 1",
	"UPDATE files SET sizes[1] = sizes[1] + 1",
	"UPDATE files SET sizes[2] = NULL",
	"UPDATE files SET sizes = '{}'",
	"UPDATE files SET sizes = ARRAY[sizes]",
	"UPDATE files SET summary_bytes = summary_bytes + 1",
	"UPDATE files SET deleted = updated",
	"DELETE FROM files",
	"UPDATE summaries SET content = content || 'x'",
	"UPDATE summaries SET version = 1",
	"DELETE FROM summaries",
	"UPDATE entries SET content = set_byte(content, 0, 0) WHERE entry = 2",
	"UPDATE entries SET sha256 = set_byte(sha256, 0, get_byte(sha256, 0) # 1) WHERE entry = 2",
	"UPDATE entries SET entry = 9 WHERE entry = 3",
	"DELETE FROM entries WHERE entry = 1",
	"DELETE FROM entries WHERE entry = 2",
	"DELETE FROM entries WHERE entry = 3",
	"UPDATE logs SET first = first + 1",
	"UPDATE logs SET last = last + 1",
	"UPDATE logs SET bytes = bytes + 1",
	"DELETE FROM logs",
	"DELETE FROM changes WHERE revision = 2",
	"DELETE FROM changes WHERE revision = (SELECT max(revision) FROM changes)",
	"UPDATE changes SET revision = 99 WHERE revision = (SELECT max(revision) FROM changes)",
	"DELETE FROM requests",
	"UPDATE requests SET owner = 'local/nobody'",
	"UPDATE owners SET files = files + 1", "UPDATE owners SET logs = logs + 1", "UPDATE owners SET entries = entries - 1",
	"UPDATE owners SET versions = versions + 1", "UPDATE owners SET bytes = bytes - 1", "UPDATE owners SET requests = requests + 1",
	"UPDATE owners SET revision = revision + 1", "UPDATE owners SET changes = changes - 1",
	"UPDATE owners SET deleted_files = 1", "UPDATE owners SET deleted_logs = 1",
	"UPDATE owners SET live = false",
	"DELETE FROM owners",
	"UPDATE owners SET owner = 'nobody'",
}

// Verify finds what was changed behind the store's back.
func TestVerifyDamage(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url)
	fillForDamage(t, s)
	if r, err := s.Verify(t.Context(), postgres.VerifyOptions{}); err != nil || r.Problems != nil || r.Versions != 4 || r.Entries != 3 {
		t.Fatalf("before: %+v, %v", r, err)
	}
	tables := []string{"owners", "files", "versions", "summaries", "logs", "entries", "requests", "changes"}
	var save, undo strings.Builder
	for _, table := range tables {
		save.WriteString("CREATE TABLE saved_" + table + " AS TABLE " + table + ";")
		undo.WriteString("DELETE FROM " + table + "; INSERT INTO " + table + " TABLE saved_" + table + ";")
	}
	ask(t, url, save.String()+"SELECT 1")
	for _, damage := range damages {
		if n := ask(t, url, "WITH damage AS ("+damage+" RETURNING 1) SELECT count(*) FROM damage")[0]; n == "0" {
			t.Errorf("%s: nothing was damaged", damage)
		}
		r, err := s.Verify(t.Context(), postgres.VerifyOptions{})
		if err != nil || len(r.Problems) == 0 {
			t.Errorf("%s: %q, %v", damage, r.Problems, err)
		}
		ask(t, url, undo.String()+"SELECT 1")
	}
	// A row that cannot be read does not hide what was found before it.
	ask(t, url, damages[0]+"; ALTER TABLE logs ALTER updated DROP NOT NULL; UPDATE entries SET created = 'infinity'; DELETE FROM changes WHERE revision = 2; ALTER TABLE versions DROP CONSTRAINT versions_sha256_check; UPDATE versions SET sha256 = '' WHERE version = 2; SELECT 1")
	r, err := s.Verify(t.Context(), postgres.VerifyOptions{})
	if all := strings.Join(r.Problems, "\n"); err != nil || !strings.Contains(all, "change 2 is missing") || !strings.Contains(all, "cannot be read") {
		t.Errorf("several problems: %v\n%s", err, all)
	}
}

func fillForDamage(t *testing.T, s *postgres.Store) {
	svc, err := workspace.New(s, workspace.Options{Summarizer: &workspace.Summarizer{
		Method: "short", Prompt: "1",
		Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "short"}, nil
		},
	}})
	testkit.Must(t, err)
	w, err := svc.Agent("agent")
	testkit.Must(t, err)
	_, err1 := w.WriteFile(t.Context(), "a.md", []byte("# One\n\ntext\n"), workspace.WriteOptions{IdempotencyKey: "key"})
	_, err2 := w.WriteFile(t.Context(), "a.md", []byte(strings.Repeat("# Two\n\ntext\n\n", 800)), workspace.WriteOptions{})
	_, err3 := w.Summarize(t.Context(), "a.md", workspace.SummarizeOptions{})
	_, err4 := w.AppendLog(t.Context(), "log", []byte("1"), []byte("2"), []byte("3"))
	_, err5 := w.WriteFile(t.Context(), "secret", []byte("secret"), workspace.WriteOptions{})
	_, err6 := w.WriteFile(t.Context(), "secret", []byte("x"), workspace.WriteOptions{})
	_, err7 := w.RedactVersion(t.Context(), "secret", 1, workspace.RedactOptions{})
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
		testkit.Must(t, err)
	}
}
