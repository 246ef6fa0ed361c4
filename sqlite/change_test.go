package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

// changesOf returns what Changes returns for a local agent.
func changesOf(t *testing.T, s store.Store, agent string, after int64, limit int) (revisions []int64, err error) {
	t.Helper()
	err = s.View(t.Context(), store.Owner{Tenant: "local", Agent: agent}, func(r store.Reader) error {
		rows, err := r.Changes(after, limit)
		revisions = nil
		for _, c := range rows {
			revisions = append(revisions, c.Revision)
		}
		return err
	})
	return revisions, err
}

// Damage to the journal is told to whoever reads the rows, and to nobody else. A row that
// is missing is never passed over.
func TestDamagedJournal(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct {
		name, damage, say string
		fine              [][2]int64 // after and limit of a reading that does not meet it
	}{
		{"Flipped", "UPDATE changes SET change = CAST(replace(CAST(change AS TEXT), 'a.md', 'c.md') AS BLOB) WHERE owner = 'local/alice' AND revision = 3", "change of local/alice, 3,", [][2]int64{{0, 2}, {3, 10}}},
		{"First", "DELETE FROM changes WHERE owner = 'local/alice' AND revision = 1", "change 1 is missing", [][2]int64{{1, 10}}},
		{"Middle", "DELETE FROM changes WHERE owner = 'local/alice' AND revision = 3", "change 3 is missing", [][2]int64{{0, 2}, {3, 10}}},
		{"Last", "DELETE FROM changes WHERE owner = 'local/alice' AND revision = 5", "change 5 is missing", [][2]int64{{0, 4}, {5, 10}}},
		{"All", "DELETE FROM changes WHERE owner = 'local/alice'", "change 1 is missing", [][2]int64{{5, 10}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "test.db")
			s := open(t, path)
			for _, name := range []string{"alice", "bob"} {
				for i := range 5 {
					put(t, workspaceOn(t, s, name), fmt.Sprintf("%c.md", 'a'+i%2))
				}
			}
			script(t, path, c.damage)
			if rows, err := changesOf(t, s, "alice", 0, 10); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("Changes = %v, %v, want ErrCorrupt with %q", rows, err, c.say)
			}
			for _, q := range c.fine {
				if _, err := changesOf(t, s, "alice", q[0], int(q[1])); err != nil {
					t.Errorf("Changes(%d, %d) = %v, want nil", q[0], q[1], err)
				}
			}
			if rows, err := changesOf(t, s, "bob", 0, 10); err != nil || len(rows) != 5 {
				t.Errorf("Changes of another agent = %v, %v, want 5 rows", rows, err)
			}
			expectFile(t, workspaceOn(t, s, "alice"), "b.md", "b.md")
		})
	}
}

// pages lists the owners of tenant local, page by page.
func pages(t *testing.T, s store.Store, q store.OwnersQuery) (names []string) {
	t.Helper()
	q.Tenant = "local"
	for {
		page, err := s.Owners(t.Context(), q)
		testkit.Must(t, err)
		for _, u := range page.Owners {
			names = append(names, u.Owner.Agent)
			q.After = &u
		}
		if len(page.Owners) < q.Limit || len(names) > 1000 { // without an end
			return names
		}
	}
}

// Owners lists each owner once in every order and on pages of any length, also of a past
// schema, where ties are common.
func TestOwnersOrders(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for schema := int64(1); schema <= sqlite.SchemaVersion; schema++ {
		var s *sqlite.Store
		if schema < sqlite.SchemaVersion {
			var err error
			if s, err = sqlite.OpenReadOnly(t.Context(), fixture(t, schema), quiet); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
		} else {
			s = open(t, fixture(t, 1)) // all have one time, none
		}
		for _, order := range []store.OwnersOrder{store.ByName, store.ByUpdated, store.ByBytes} {
			whole := pages(t, s, store.OwnersQuery{Order: order, Limit: 100})
			if len(whole) < 20 {
				t.Errorf("schema %d, order %d: %d owners, want all", schema, order, len(whole))
			}
			for _, limit := range []int{1, 2, 7} {
				if diff := cmp.Diff(whole, pages(t, s, store.OwnersQuery{Order: order, Limit: limit})); diff != "" {
					t.Errorf("schema %d, order %d, pages of %d:\n%s", schema, order, limit, diff)
				}
			}
			some := pages(t, s, store.OwnersQuery{Order: order, Prefix: "crowd-", Part: "D-1", Limit: 3})
			if len(some) != 10 {
				t.Errorf("schema %d, order %d: with a prefix and a part: %v, want crowd-10 to crowd-19", schema, order, some)
			}
		}
	}
}

// A summary is paid for once. It is there after a restart, and its bytes count. Deleting the
// file gives them back.
func TestSummaryIsKept(t *testing.T) {
	t.Parallel()
	path, calls := filepath.Join(t.TempDir(), "test.db"), 0
	summarizer := &workspace.Summarizer{
		Method: "test", Model: "model", Prompt: "1", Remote: true,
		Summarize: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			calls++
			return workspace.SummaryText{Text: "summary of " + r.Path, Spent: 10}, nil
		},
	}
	for i := range 2 {
		s := open(t, path)
		svc, err := workspace.New(s, workspace.Options{Summarizer: summarizer})
		testkit.Must(t, err)
		ws := agent(t, svc, "a")
		if i == 0 {
			_, err := ws.WriteFile(t.Context(), "f", []byte(strings.Repeat("0123456789", 900)), workspace.WriteOptions{})
			testkit.Must(t, err)
		}
		r, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
		if err != nil || r.Cached != (i == 1) || r.Text != "summary of f" || calls != 1 {
			t.Fatalf("Summarize %d = %+v, %v, after %d calls of the model", i, r, err, calls)
		}
		if u, err := ws.Usage(t.Context()); err != nil || u.Bytes != 9000+int64(len(r.Text)) {
			t.Errorf("the usage is %+v, %v, expected the bytes of the file and its summary", u, err)
		}
		if i == 1 {
			_, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{})
			testkit.Must(t, err)
			if u, err := ws.Usage(t.Context()); err != nil || u.Bytes != 0 {
				t.Errorf("the usage after the deletion is %+v, %v, expected no bytes", u, err)
			}
		}
		if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || len(report.Problems) != 0 {
			t.Errorf("Verify() = %q, %v, expected no problem", report.Problems, err)
		}
		testkit.Must(t, s.Close())
	}
}

func said(text string) conversation.Record {
	m := conversation.UserText(text)
	return conversation.Record{Kind: conversation.MessageRecord, Message: &m}
}

func recorded(t testing.TB, j conversation.Journal) (records []conversation.Record) {
	t.Helper()
	for r, err := range j.Records(t.Context(), 0) {
		testkit.Must(t, err)
		records = append(records, r)
	}
	return records
}

// A journal is the same after its store was opened again, also under other limits. A
// record that does not fit into a quota is not stored in part. The test of kills shows that
// the entries of one append, of which a record may need several, are stored together.
func TestJournal(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	large := said(strings.Repeat("🎉x", testkit.Pick(1<<16, 1<<18, 1<<20)))
	odd := said("\x00\n1/2 {\u2028}\"\\ 🎉")
	all := []conversation.Record{odd, large, {Kind: conversation.SummaryRecord, Summary: "s", Through: 1, Evidence: []string{"\x00", "🎉"}}, {Kind: conversation.ClearRecord}}
	s, ws, err := openAgent(path, "journal", workspace.Limits{})
	testkit.Must(t, err)
	j := workspace.Journal(ws, "chat")
	testkit.Must(t, j.Append(t.Context(), all...))
	again := []conversation.Record{large, odd}
	testkit.Must(t, j.Append(t.Context(), again...))
	all = append(all, again...)
	u, err := ws.Usage(t.Context())
	testkit.Must(t, err)
	testkit.Must(t, s.Close())

	s, ws, err = openAgent(path, "journal", workspace.Limits{EntryBytes: 64, Entries: u.Entries + 20})
	testkit.Must(t, err)
	defer s.Close()
	j = workspace.Journal(ws, "chat")
	if diff := cmp.Diff(all, recorded(t, j)); diff != "" {
		t.Errorf("opened again the records are others, -want +got:\n%.2000s", diff)
	}
	batch := []conversation.Record{odd, said(strings.Repeat("x", 2000)), odd}
	if err := j.Append(t.Context(), batch...); !errors.Is(err, store.ErrQuota) || !errors.Is(err, conversation.ErrJournal) || batch[0].Seq != odd.Seq {
		t.Errorf("Append over the quota = %v, Seq %d, expected ErrQuota and ErrJournal, and the Seq as it was", err, batch[0].Seq)
	}
	batch = []conversation.Record{odd}
	testkit.Must(t, j.Append(t.Context(), batch...))
	if diff := cmp.Diff(append(all, batch...), recorded(t, j)); diff != "" {
		t.Errorf("after a refusal the records are others, -want +got:\n%.2000s", diff)
	}
}
