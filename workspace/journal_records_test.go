package workspace_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A journalModel is a journal, and the records that it must hold.
type journalModel struct {
	ws       *workspace.Workspace
	j        conversation.Journal
	limits   workspace.Limits
	records  []conversation.Record
	last     int64 // the highest number ever given
	appended int
}

var journalTexts = rapid.OneOf(
	rapid.String(),
	rapid.StringMatching(`[12]/[23] .{0,40}`),
	rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "日", "🎉", `"`, "\\", "\x00", "\n", " ", "1/2 "}), 0, 200), func(s []string) string { return strings.Join(s, "") }),
)

func drawRecord(t *rapid.T) conversation.Record {
	text := journalTexts.Draw(t, "text")
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return conversation.Record{Kind: conversation.ClearRecord}
	case 1:
		var evidence []string
		if rapid.Bool().Draw(t, "evidence") {
			evidence = rapid.SliceOfN(journalTexts, 1, 3).Draw(t, "list")
		}
		return conversation.Record{Kind: conversation.SummaryRecord, Summary: text, Through: rapid.Int64Min(0).Draw(t, "through"), Evidence: evidence}
	case 2:
		return message(conversation.ToolResult("id", text))
	}
	return said(text)
}

func (m *journalModel) append(t *rapid.T) {
	batch := make([]conversation.Record, rapid.IntRange(0, 5).Draw(t, "records"))
	least, most := int64(0), int64(0) // entries
	for i := range batch {
		batch[i] = drawRecord(t)
		text, err := batch[i].MarshalJSON()
		testkit.Must(t, err)
		n := int64(len(text))
		least += (n + m.limits.EntryBytes - 1) / m.limits.EntryBytes
		if most++; n > m.limits.EntryBytes {
			most += n / (m.limits.EntryBytes - 11)
		}
	}
	used := m.usage(t).Entries
	err := m.j.Append(t.Context(), batch...)
	m.appended++
	switch {
	case errors.Is(err, workspace.ErrQuota) && errors.Is(err, conversation.ErrJournal):
		if used+most <= m.limits.Entries {
			t.Fatalf("with %d entries, %d more at most were refused: %v", used, most, err)
		}
		return
	case err != nil:
		t.Fatalf("Append = %v", err)
	case used+least > m.limits.Entries:
		t.Fatalf("with %d entries, %d more at least were taken", used, least)
	}
	for _, r := range batch {
		if r.Seq <= m.last {
			t.Fatalf("a record has the Seq %d after %d", r.Seq, m.last)
		}
		m.last = r.Seq
	}
	m.records = append(m.records, batch...)
}

func (m *journalModel) usage(t *rapid.T) workspace.UsageReport {
	u, err := m.ws.Usage(t.Context())
	testkit.Must(t, err)
	return u
}

func (m *journalModel) delete(t *rapid.T) {
	if _, err := m.ws.DeleteLog(t.Context(), "l", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	m.records = nil
}

func (m *journalModel) read(t *rapid.T) {
	after := rapid.Int64Range(0, m.last+1).Draw(t, "after")
	most := rapid.IntRange(0, 20).Draw(t, "most") // 0: all
	want := m.records
	for len(want) > 0 && want[0].Seq <= after {
		want = want[1:]
	}
	if most > 0 {
		want = want[:min(most, len(want))]
	}
	got := []conversation.Record{}
	for r, err := range m.j.Records(t.Context(), after) {
		if err != nil {
			t.Fatalf("Records(%d) = %v", after, err)
		}
		if got = append(got, r); len(got) == most {
			break
		}
	}
	if len(want)+len(got) > 0 && !cmp.Equal(want, got) {
		t.Fatalf("Records(%d) differs, -want +got:\n%s", after, cmp.Diff(want, got))
	}
}

// A journal is a list of records, whatever its entries look like.
func TestJournalModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := memstore.New()
		defer store.Close()
		limits := workspace.Limits{
			EntryBytes: rapid.SampledFrom([]int64{smallest, 47, 60, 100, 200, 1000, 64 << 10}).Draw(t, "limit"),
			Entries:    rapid.SampledFrom([]int64{20, 300, 100_000}).Draw(t, "entries"),
		}
		svc, err := workspace.New(store, workspace.Options{Limits: limits})
		testkit.Must(t, err)
		ws, err := svc.Agent("a")
		testkit.Must(t, err)
		m := &journalModel{ws: ws, j: workspace.Journal(ws, "l"), limits: limits}
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append, "append again": m.append, "append more": m.append, "read": m.read,
			"delete": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					m.delete(t)
				}
			},
			"reopen": func(*rapid.T) { m.j = workspace.Journal(ws, "l") },
		})
		m.read(t)
	})
}

// FuzzJournal puts arbitrary entries into a log. Reading it returns records that can be
// written again, or an error of the right kinds.
func FuzzJournal(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"clear"}`, "1/2 {\n2/2 }", "1/3 x\n2/3 y\n3/3 z", `{"kind":"message","message":{"role":"user","content":"x"}}`,
		"2/2 x\n1/2 y", "1/2 {\"kind\":\n2/2 \"clear\"}\n{\"kind\":\"summary\"}", "99999999999999999999/1 x", "1/9223372036854775807 x\n2/9223372036854775807 ",
	} {
		f.Add([]byte(seed), int64(0))
		f.Add([]byte(seed), int64(1))
	}
	f.Fuzz(func(t *testing.T, log []byte, after int64) {
		ws := newWorkspace(t, workspace.Options{})
		entries := bytes.Split(bytes.ToValidUTF8(log, nil), []byte("\n"))
		if _, err := ws.AppendLog(t.Context(), "l", entries...); err != nil {
			t.Skip(err)
		}
		last := int64(0)
		records, err := recorded(t, workspace.Journal(ws, "l"), after)
		if err != nil {
			wantJournalErr(t, "Records", err, workspace.ErrInvalid)
		}
		for i, r := range records {
			if r.Seq <= max(last, after) || r.Seq > int64(len(entries)) {
				t.Errorf("record %d has the Seq %d, want one after %d and %d, of %d entries", i, r.Seq, last, after, len(entries))
			}
			last = r.Seq
			records[i].Seq = 0
		}
		if len(records) == 0 {
			return
		}
		again := record(t, workspace.Journal(ws, "again"), records...)
		wantRecords(t, workspace.Journal(ws, "again"), 0, again)
	})
}
