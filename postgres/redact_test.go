package postgres_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// inTableFiles returns how often the files of the tables have a text: of the
// tables themselves, their TOAST and their indexes.
func inTableFiles(t *testing.T, url, text string) string {
	t.Helper()
	ask(t, url, "CHECKPOINT")
	return ask(t, url, fmt.Sprintf(`
		SELECT coalesce(sum((length(f) - length(replace(f, '%[1]x', ''))) / length('%[1]x')), 0) FROM (
			SELECT encode(pg_read_binary_file(pg_relation_filepath(oid)), 'hex') f FROM pg_class
			WHERE relkind IN ('r', 't', 'i') AND pg_relation_filepath(oid) NOT LIKE 'global/%%' AND oid >= 16384
		) files`, text))[0]
}

// A redacted version's content is in no answer at once. It is in the files of the tables
// until VACUUM FULL writes them anew: VACUUM alone frees the space and leaves the bytes. The
// guide says so.
func TestRedactedIsGoneAfterVacuum(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	if ask(t, url, "SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user")[0] != "true" {
		t.Skip("skipped: the role may not read the server's files")
	}
	s := open(t, url)
	svc := service(t, s)
	ws := agent(t, svc, "a")
	const secret, other = "the-secret-that-goes", "the-text-that-stays!"
	for _, c := range []struct {
		path string
		size int // in the row, or in TOAST
	}{{"short.md", 10}, {"long.md", 2000}} {
		for i, word := range []string{secret, other} {
			var b bytes.Buffer // PostgreSQL must not be able to compress it
			for k := range c.size {
				fmt.Fprintf(&b, "%s%x", word, sha256.Sum256([]byte{byte(k), byte(k >> 8)}))
			}
			_, err := ws.WriteFile(t.Context(), c.path, b.Bytes(), workspace.WriteOptions{})
			testkit.Must(t, err)
			if i == 1 {
				testkit.Must(t, testkit.Err(ws.RedactVersion(t.Context(), c.path, 1, workspace.RedactOptions{})))
			}
		}
	}
	if n := inTableFiles(t, url, secret); n == "0" {
		t.Error("before VACUUM the content is gone already: nothing is tested")
	}
	testkit.Must(t, s.Close()) // what it has under way would keep old rows
	ask(t, url, "VACUUM versions")
	t.Logf("after VACUUM, %s parts of the content are in the files", inTableFiles(t, url, secret))
	ask(t, url, "VACUUM FULL versions")
	if n, stays := inTableFiles(t, url, secret), inTableFiles(t, url, other); n != "0" || stays == "0" {
		t.Errorf("after VACUUM FULL, the files have %s parts of the redacted content and %s of the other, want none and some", n, stays)
	}
	for _, table := range []string{"versions", "summaries", "changes", "files"} {
		if all := strings.Join(ask(t, url, "SELECT coalesce(string_agg(encode(textsend(x::text), 'hex'), ''), '') FROM "+table+" x"), ""); strings.Contains(all, fmt.Sprintf("%x", secret)) {
			t.Errorf("the table %s still has the content", table)
		}
	}
}
