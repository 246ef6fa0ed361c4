package sqlite

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Verify finds a wrong row in every table that is in use.
func TestVerifyEveryTable(t *testing.T) {
	for _, c := range []struct{ change, want string }{
		{"UPDATE owners SET operations = operations + 1", "usage of"},
		{"UPDATE files SET updated = updated + 1", "head of file"},
		{"UPDATE versions SET client = 'x'", "version"},
		{"UPDATE versions SET content = x'78'", "SHA-256"},
		{"UPDATE logs SET updated = updated + 1", "head of log"},
		{"UPDATE entries SET client = 'x'", "entry"},
		{"UPDATE entries SET content = x'79'", "SHA-256"},
		{"DELETE FROM entries", "missing"},
		{"DELETE FROM versions", "version"},
		{"UPDATE requests SET count = count + 1", "request"},
		{"UPDATE records SET value = x'78'", "record"},
	} {
		s := openInternal(t)
		svc, err := workspace.New(s, workspace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ws, err := svc.Agent("a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ws.WriteFile(t.Context(), "f", []byte("1"), workspace.WriteOptions{IdempotencyKey: "k"}); err != nil {
			t.Fatal(err)
		}
		if _, err := ws.AppendLog(t.Context(), "l", []byte("1")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.System(t.Context()).Put("key", []byte("v"), 0); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Verify(t.Context(), VerifyOptions{}); err != nil || len(r.Problems) > 0 {
			t.Fatalf("Verify() = %v, %v, want no problems", r.Problems, err)
		}
		err = s.writer.do(t.Context(), "", func(tx *tx) error {
			_, err := tx.exec(c.change)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Verify(t.Context(), VerifyOptions{})
		if err != nil || !strings.Contains(strings.Join(r.Problems, "\n"), c.want) {
			t.Errorf("Verify() after %s = %q, %v, want a problem with %q", c.change, r.Problems, err, c.want)
		}
	}
}
