package sqlite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

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
