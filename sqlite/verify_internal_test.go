package sqlite

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var wrongRows = []struct{ change, want string }{
	{"UPDATE owners SET operations = operations + 1", "usage of"},
	{"UPDATE files SET updated = updated + 1", "head of file"},
	{"UPDATE versions SET client = 'x'", "version"},
	{"UPDATE versions SET content = x'78'", "SHA-256"},
	{"UPDATE logs SET updated = updated + 1", "head of log"},
	{"UPDATE entries SET client = 'x'", "entry"},
	{"UPDATE entries SET content = x'79'", "SHA-256"},
	{"DELETE FROM entries", "missing"},
	{"DELETE FROM versions", "version"},
	{"UPDATE summaries SET tokens = tokens + 1", "summary of f, 1,"},
	{"UPDATE summaries SET content = CAST(replace(CAST(content AS TEXT), 'short', 'shors') AS BLOB)", "a: file f: summary of version 1: its bytes do not match their SHA-256"},
	{"DELETE FROM summaries", "its summaries have 0 bytes, its head says 10"},
	{"DELETE FROM files", "a: there are versions of f, which is no file"},
	{"UPDATE requests SET count = count + 1", "request"},
	{"UPDATE records SET value = x'78'", "record"},
	{"UPDATE changes SET change = x'00' WHERE revision = 2", "change of local/a, 2,"},
	{"UPDATE changes SET revision = 7 WHERE revision = 3", "change of local/a, 7,"},
	{"UPDATE changes SET owner = 'local/b' WHERE revision = 3", "change of local/b, 3,"},
	{"DELETE FROM changes WHERE revision = 1", "Changes:3"},
	{"DELETE FROM changes WHERE revision = 2", "change 2 is missing"},
	{"DELETE FROM changes WHERE revision = 3", "Revision:3"},
	{"DELETE FROM changes", "Changes:3"},
	{"DELETE FROM owners", "the counters say"},
}

// Verify finds a wrong row in every table.
func TestVerifyEveryTable(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range wrongRows {
		s, ws := openWorkspace(t, workspace.Options{Summarizer: shortener()})
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "f", []byte(strings.Repeat("1", 9000)), workspace.WriteOptions{IdempotencyKey: "k"})))
		for _, log := range []string{"l", "m"} {
			testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), log, []byte("1"))))
		}
		testkit.Must(t, testkit.Err(ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})))
		testkit.Must(t, testkit.Err(s.System(t.Context()).Put("key", []byte("v"), 0)))
		if r, err := s.Verify(t.Context(), VerifyOptions{}); err != nil || len(r.Problems) > 0 {
			t.Fatalf("Verify() = %v, %v, want no problems", r.Problems, err)
		}
		exec(t, s, c.change)
		r, err := s.Verify(t.Context(), VerifyOptions{})
		if err != nil || !strings.Contains(strings.Join(r.Problems, "\n"), c.want) {
			t.Errorf("Verify() after %s = %q, %v, want a problem with %q", c.change, r.Problems, err, c.want)
		}
	}
}

func shortener() *workspace.Summarizer {
	return &workspace.Summarizer{
		Method: "short", Prompt: "1",
		Summarize: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "short of " + r.Path}, nil
		},
	}
}

// Verify compares the bytes of summaries with those in the heads of files, and finds a
// summary that is not of the current version. The checksums of all rows are right here.
func TestVerifySummaries(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(store.Tx, store.FileHead, store.OwnerState) error
		want   string // "": nothing is wrong
	}{
		{"nothing", func(store.Tx, store.FileHead, store.OwnerState) error { return nil }, ""},
		{"head", func(tx store.Tx, h store.FileHead, o store.OwnerState) error {
			h.Summary++
			o.Bytes++
			return tx.Apply(store.FileChange{Head: h, Owner: o})
		}, "local/a: file f: its summaries have 10 bytes, its head says 11"},
		{"counters", func(tx store.Tx, h store.FileHead, o store.OwnerState) error {
			o.Bytes -= h.Summary
			return tx.Apply(o)
		}, "local/a: the counters say"},
		{"not forgotten", func(tx store.Tx, h store.FileHead, o store.OwnerState) error {
			o.Bytes -= h.Size()
			o.Files, o.DeletedFiles = 0, 1
			h.Deleted, h.Sizes = true, nil
			return tx.Apply(store.FileChange{Head: h, Prune: h.Version, Owner: o})
		}, "local/a: file f: there is a summary of version 1, which is not the current one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ws := openWorkspace(t, workspace.Options{Summarizer: shortener()})
			testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "f", []byte(strings.Repeat("1", 9000)), workspace.WriteOptions{})))
			if r, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{}); err != nil || !r.Stored {
				t.Fatalf("Summarize = %+v, %v", r, err)
			}
			testkit.Must(t, s.Update(t.Context(), testOwner, func(tx store.Tx) error {
				l, err := tx.Load(store.Query{File: "f"})
				return errors.Join(err, c.change(tx, l.File, l.Owner))
			}))
			r, err := s.Verify(t.Context(), VerifyOptions{})
			if got := strings.Join(r.Problems, "\n"); err != nil || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("Verify() = %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// The author of a version that is damaged or missing is not known. The other files have
// theirs. A list with content ends with ErrCorrupt.
func TestListsOfDamagedFiles(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, change := range []string{
		"UPDATE versions SET client = 'x' WHERE path = 'b'",
		"UPDATE versions SET crc = crc + 1 WHERE path = 'b'",
		"UPDATE versions SET owner = 'local/other' WHERE path = 'b'",
		"DELETE FROM versions WHERE path = 'b'",
	} {
		s, ws := openWorkspace(t, workspace.Options{})
		for _, path := range []string{"a", "b", "c"} {
			testkit.Must(t, testkit.Err(ws.As(store.Author{Client: "by " + path}).WriteFile(t.Context(), path, []byte("x"), workspace.WriteOptions{})))
		}
		exec(t, s, change)
		v, err := ws.ListFiles(t.Context(), workspace.ListOptions{Authors: true})
		var got []string
		for _, f := range v.Files {
			got = append(got, f.Path+" "+f.Author.Client)
		}
		if all := strings.Join(got, ", "); err != nil || all != "a by a, b , c by c" {
			t.Errorf("after %s: %q, %v", change, all, err)
		}
		err = s.View(t.Context(), testOwner, func(r store.Reader) error {
			q := store.ScanQuery{Kind: store.KindFile, Limit: 1, Contents: true, MaxBytes: 100}
			if page, err := r.Scan(q); err != nil || len(page.Files) != 1 || !page.More {
				t.Errorf("after %s: the list before the file is %+v, %v", change, page, err)
			}
			q.Limit = 3
			return testkit.Err(r.Scan(q))
		})
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("after %s: Scan with contents = %v, want ErrCorrupt", change, err)
		}
	}
}

// do queues a function for an owner and waits for its answer, as await does.
func (w *writer) do(ctx context.Context, owner string, fn func(*tx) error) error {
	return w.await(&job{ctx: ctx, owner: owner, fn: fn})
}
