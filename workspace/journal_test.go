package workspace_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// smallest is a limit of an entry that has room for the parts of any record.
const smallest = 46

func message(m conversation.Message) conversation.Record {
	return conversation.Record{Kind: conversation.MessageRecord, Message: &m}
}

func said(text string) conversation.Record { return message(conversation.UserText(text)) }

// record adds records to a journal and returns them with their Seq.
func record(t testing.TB, j conversation.Journal, records ...conversation.Record) []conversation.Record {
	t.Helper()
	records = slices.Clone(records)
	testkit.Must(t, j.Append(t.Context(), records...))
	return records
}

// recorded returns the records after a Seq, and the error that ended them.
func recorded(t testing.TB, j conversation.Journal, after int64) (records []conversation.Record, err error) {
	t.Helper()
	for r, e := range j.Records(t.Context(), after) {
		switch {
		case err != nil:
			t.Fatalf("after the error %v there is %+v, %v, want nothing more", err, r, e)
		case e != nil && !cmp.Equal(r, conversation.Record{}):
			t.Errorf("beside the error %v there is %+v, want the zero record", e, r)
		}
		if err = e; err == nil {
			records = append(records, r)
		}
	}
	return records, err
}

func wantRecords(t testing.TB, j conversation.Journal, after int64, want []conversation.Record) {
	t.Helper()
	got, err := recorded(t, j, after)
	if diff := cmp.Diff(append([]conversation.Record(nil), want...), got); diff != "" || err != nil {
		t.Errorf("Records(%d) = %d records, %v, want %d; -want +got:\n%.2000s", after, len(got), err, len(want), diff)
	}
}

// wantJournalErr is wantErr for an error of a journal, which has that kind too.
func wantJournalErr(t testing.TB, what string, err, kind error, says ...string) {
	t.Helper()
	wantErr(t, what, err, kind, says...)
	if !errors.Is(err, conversation.ErrJournal) {
		t.Errorf("%s: error is %v, want ErrJournal too", what, err)
	}
}

// entriesOf returns the entries of the log, and checks them as AppendLog would.
func entriesOf(t testing.TB, ws *workspace.Workspace, path string, limit int) (texts []string) {
	t.Helper()
	for at := int64(0); ; {
		page := readLog(t, ws, path, workspace.ReadLogOptions{Since: at})
		for _, e := range page.Entries {
			if len(e.Content) > limit || !utf8.Valid(e.Content) {
				t.Errorf("entry %d has %d bytes, valid %t, want %d at most, and whole characters", e.ID, len(e.Content), utf8.Valid(e.Content), limit)
			}
			texts = append(texts, string(e.Content))
		}
		if at = page.Last; !page.More {
			return texts
		}
	}
}

// The entries of the log are those that the documentation describes.
func TestJournalEntries(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{EntryBytes: smallest}}).As(workspace.Author{Client: "claude"})
	j := workspace.Journal(ws, "l")
	given := conversation.Record{Seq: 99, Kind: conversation.ClearRecord}
	if got := record(t, j, given, said("one emoji, 🎉 or two 🎉🎉")); got[0].Seq != 1 || got[1].Seq != 4 {
		t.Errorf("the Seqs are %d and %d, want 1 and 4", got[0].Seq, got[1].Seq)
	}
	want := []string{
		`{"kind":"clear"}`,
		`1/3 {"kind":"message","message":{"role":"user"`,
		`2/3 ,"content":"one emoji, 🎉 or two 🎉`,
		`3/3 🎉"}}`,
	}
	if diff := cmp.Diff(want, entriesOf(t, ws, "l", smallest)); diff != "" {
		t.Errorf("the entries are others, -want +got:\n%s", diff)
	}
	for _, e := range readLog(t, ws, "l", workspace.ReadLogOptions{}).Entries {
		if e.Author.Client != "claude" {
			t.Errorf("entry %d is by %+v, want the workspace's author", e.ID, e.Author)
		}
	}
}

// An entry that looks like a record but is none is named by its number. The records
// before it are read.
func TestJournalBadEntries(t *testing.T) {
	const half = `1/2 {"kind":"cl`
	for _, test := range []struct {
		entries []string
		says    string
	}{
		{[]string{`{"kind":"dance"}`}, `entry 2 is no record of a conversation: a record of kind "dance", which this version does not know`},
		{[]string{`{"kind":"clear"} {}`}, "entry 2 is no record"},
		{[]string{`{"kind":"message","message":{"role":"king","content":"x"}}`}, "entry 2 is no record"},
		{[]string{`{"kind":"` + strings.Repeat("x", 5000) + `"}`}, "entry 2 is no record"},
		{[]string{half}, "the end of the log stands where part 2 of 2 of a record should"},
		{[]string{`1/3 {"kind":"cl`, "3/3 x"}, "entry 3 stands where part 2 of 3 of a record should"},
		{[]string{`1/3 {"kind":"cl`, "2/4 x"}, "entry 3 stands where part 2 of 3"},
		{[]string{`1/3 {"kind":"cl`, `1/3 {"kind":"cl`}, "entry 3 stands where part 2 of 3"},
		{[]string{half, `{"kind":"clear"}`}, "entry 3 stands where part 2 of 2"},
		{[]string{half, "text"}, "entry 3 stands where part 2 of 2"},
		{[]string{`1/2 {"kind":`, `2/2 "clear"`}, "entry 3 is no record"},
	} {
		ws := newWorkspace(t, workspace.Options{})
		j := workspace.Journal(ws, "l")
		all := record(t, j, said("1"))
		appendLog(t, ws, "l", test.entries...)
		if test.says != "the end of the log stands where part 2 of 2 of a record should" {
			record(t, j, said("more"))
		}
		for after := range int64(2) {
			got, err := recorded(t, j, after)
			wantJournalErr(t, fmt.Sprintf("Records with %.80q", test.entries), err, workspace.ErrInvalid, "journal: read log l: ", test.says)
			if len(got) != 1-int(after) || after == 0 && !cmp.Equal(all, got) {
				t.Errorf("before %.80q stand others after %d: %+v, want %+v", test.entries, after, got, all[after:])
			}
		}
	}
}

// Entries of others that do not look like a record are skipped.
func TestJournalForeignEntries(t *testing.T) {
	for _, entries := range [][]string{
		{"decided to rest"}, {""}, {"null"}, {"7"}, {"[]"}, {`{"note":"x"}`}, {"1/3 of it is done"}, {"1/2 x"}, {"2/3 x"}, {"1/3 x", "3/3 x"},
		{"9223372036854775807/9223372036854775807 x"}, {"1/9223372036854775808 x"}, {"+1/2 x", "2/2 x"}, {"01/2 x", "2/2 x"}, {"0/2 x"}, {"3/2 x"},
		{`1/1 {"kind":"clear"}`}, {"1/2 text", `2/2 {"kind":"clear"}`},
	} {
		ws := newWorkspace(t, workspace.Options{})
		j := workspace.Journal(ws, "l")
		all := record(t, j, said("1"))
		appendLog(t, ws, "l", entries...)
		all = append(all, record(t, j, said("2"))...)
		wantRecords(t, j, 0, all)
		wantRecords(t, j, all[0].Seq, all[1:])
		appendLog(t, ws, "l", entries...)
		all = append(all, record(t, j, said("behind what was read"))...)
		wantRecords(t, j, 0, all)
	}
	ws := newWorkspace(t, workspace.Options{})
	appendLog(t, ws, "l", `1/2 {"kind":"`, `2/2 clear","more":1}`)
	wantRecords(t, workspace.Journal(ws, "l"), 0, []conversation.Record{{Seq: 2, Kind: conversation.ClearRecord}})
}

// A journal that was read does not write behind records that another has added since.
func TestJournalOneWriter(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	first, second := workspace.Journal(ws, "l"), workspace.Journal(ws, "l")
	all := record(t, first, said("1"))
	wantRecords(t, first, 0, all)
	wantRecords(t, second, 0, all)
	all = append(all, record(t, first, said("2"), said("3"))...)
	all = append(all, record(t, first, said("4"))...)
	wantJournalErr(t, "Append behind another's", second.Append(t.Context(), said("x")), workspace.ErrConflict, "append to l: entry 2 is of another conversation")
	wantRecords(t, second, 0, all)
	all = append(all, record(t, second, said("5"))...)
	wantRecords(t, workspace.Journal(ws, "l"), 0, all)
	unread := workspace.Journal(ws, "l")
	all = append(all, record(t, second, said("6"))...)
	all = append(all, record(t, unread, said("7"))...)
	wantRecords(t, workspace.Journal(ws, "l"), 0, all)
}

func TestJournalRefuses(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	ctx := t.Context()

	bad := workspace.Journal(ws, "../x")
	wantJournalErr(t, "Append to a wrong path", bad.Append(ctx, said("x")), workspace.ErrInvalid, `append to path ../x: it holds ".."`)
	wantJournalErr(t, "Append of nothing to a wrong path", bad.Append(ctx), workspace.ErrInvalid, "..")
	_, err := recorded(t, bad, 0)
	wantJournalErr(t, "Records of a wrong path", err, workspace.ErrInvalid, `read log path ../x: it holds ".."`)

	j := workspace.Journal(ws, "l")
	_, err = recorded(t, j, -1)
	wantJournalErr(t, "Records after -1", err, workspace.ErrInvalid, "-1")
	if err := j.Append(ctx); err != nil || usage(t, ws).Logs != 0 {
		t.Errorf("Append of nothing = %v, and there are %d logs, want nil and none", err, usage(t, ws).Logs)
	}
	for _, r := range []conversation.Record{
		{}, {Kind: "dance"}, {Kind: conversation.MessageRecord}, message(conversation.Message{Role: "king"}), said("\xff"),
	} {
		err := j.Append(ctx, said("x"), r)
		wantJournalErr(t, fmt.Sprintf("Append of %+v", r), err, workspace.ErrInvalid, "journal: append to l: record 2: ")
		if !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("Append of %+v = %v, want conversation.ErrInvalid too", r, err)
		}
	}
	wantRecords(t, j, 0, nil)
	tiny := workspace.Journal(newWorkspace(t, workspace.Options{Limits: workspace.Limits{EntryBytes: 10}}), "l")
	batch := []conversation.Record{{Kind: conversation.ClearRecord}, said(strings.Repeat("🎉x", 300))}
	wantJournalErr(t, "Append over a tiny limit", tiny.Append(ctx, batch...), workspace.ErrTooLarge, "append to l: record 2", "entries of 10 bytes")
	wantRecords(t, tiny, 0, nil)

	store.Close()
	wantJournalErr(t, "Append to a closed store", j.Append(ctx, said("x")), workspace.ErrClosed, "append to l: ")
	_, err = recorded(t, j, 0)
	wantJournalErr(t, "Records of a closed store", err, workspace.ErrClosed, "read log l: ")
}

// A log that is deleted between two pages is an error, even if a new one has begun since.
func TestJournalDeletedWhileReading(t *testing.T) {
	for name, again := range map[string]int{"gone": 0, "short": 1, "long": 500} {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, workspace.Options{})
			j := workspace.Journal(ws, "l0")
			record(t, j, slices.Repeat([]conversation.Record{said("x")}, 250)...)
			n := 0
			for r, err := range j.Records(t.Context(), 0) {
				if n++; err != nil {
					wantJournalErr(t, "Records", err, workspace.ErrConflict, "read log l0: entry 101 is gone, the log was deleted")
					continue
				}
				if r.Message.Content != "x" {
					t.Fatalf("record %d is of the log that came after", n)
				}
				if n == 50 {
					testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "l0", workspace.DeleteLogOptions{})))
					for range again {
						record(t, j, said("y"))
					}
				}
			}
			if n != 101 {
				t.Errorf("there were %d records and errors, want the 100 of the page and an error", n)
			}
		})
	}
}

// Records that the same journal appends from several goroutines are not taken for
// another's.
func TestJournalWritesAtOnce(t *testing.T) {
	for range 20 {
		ws := newWorkspace(t, workspace.Options{})
		j := workspace.Journal(ws, "l")
		record(t, j, said("0"))
		testkit.Must(t, testkit.Err(recorded(t, j, 0)))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10 {
					if err := j.Append(t.Context(), said("x")); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if all, err := recorded(t, j, 0); len(all) != 81 || err != nil {
			t.Errorf("%d records, %v, want 81", len(all), err)
		}
	}
}

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
	testkit.Must(t, testkit.Err(m.ws.DeleteLog(t.Context(), "l", workspace.DeleteLogOptions{})))
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
		testkit.Must(t, err)
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
