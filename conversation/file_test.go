package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func openFile(t testing.TB, path string) *conversation.File {
	t.Helper()
	f, err := conversation.FileJournal(path)
	testkit.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func closeFile(t testing.TB, f *conversation.File) {
	t.Helper()
	testkit.Must(t, f.Close())
}

func saidRecord(text string) conversation.Record {
	m := conversation.UserText(text)
	return conversation.Record{Kind: conversation.MessageRecord, Message: &m}
}

func appendRecords(t testing.TB, j conversation.Journal, records ...conversation.Record) []conversation.Record {
	t.Helper()
	testkit.Must(t, j.Append(t.Context(), records...))
	return records
}

func readAfter(ctx context.Context, j conversation.Journal, after int64) (all []conversation.Record, err error) {
	for r, err := range j.Records(ctx, after) {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

func wantRecords(t testing.TB, j conversation.Journal, want []conversation.Record) {
	t.Helper()
	got, err := readAfter(t.Context(), j, 0)
	testkit.Must(t, err)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("Records() (-want +got):\n%s", diff)
	}
}

func writeFile(t testing.TB, path string, text []byte) {
	t.Helper()
	testkit.Must(t, os.WriteFile(path, text, 0o600))
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	testkit.Must(t, err)
	return text
}

var mixed = []conversation.Record{
	saidRecord("a"),
	{Kind: conversation.MessageRecord, Message: &conversation.Message{Role: conversation.Assistant, Content: "b\n\x00\u2028<&>\U0001F600",
		ToolCalls: []conversation.ToolCall{{ID: "1", Name: "run", Arguments: json.RawMessage("{ \"a\" :\n1}")}, {ID: "2", Name: "cut", Arguments: json.RawMessage(`{"more":tru`)}, {ID: "3", Name: "more", Arguments: json.RawMessage(`{"more":true}`)}},
		Raw:       json.RawMessage("{\"more\": true,\n\"x\":1}"), RawProvider: conversation.OpenAIChat}},
	{Kind: conversation.MessageRecord, Message: &conversation.Message{Role: conversation.Tool, ToolCallID: "1", Content: `,"more":true}`}},
	{Kind: conversation.SummaryRecord, Summary: `},"more":true}`, Through: 2, Evidence: []string{"x", `"more":true}`}},
	{Kind: conversation.ClearRecord},
}

func TestFileKeepsRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	wantRecords(t, f, nil)
	var want []conversation.Record
	for _, batch := range [][]conversation.Record{mixed[:1], mixed, nil, mixed[3:]} {
		batch = appendRecords(t, f, append([]conversation.Record(nil), batch...)...)
		for i, r := range batch {
			if r.Seq != int64(len(want)+1) {
				t.Fatalf("record %d of a batch has Seq %d, want %d", i, r.Seq, len(want)+1)
			}
			want = append(want, r)
		}
	}
	wantRecords(t, f, want)
	closeFile(t, f)
	f = openFile(t, path)
	wantRecords(t, f, want)
	want = append(want, appendRecords(t, f, saidRecord("after"))...)
	wantRecords(t, f, want)

	lines := strings.Split(strings.TrimSuffix(string(readFile(t, path)), "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines for %d records", len(lines), len(want))
	}
	for i, line := range lines {
		var r conversation.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil || !cmp.Equal(r, want[i]) {
			t.Errorf("line %d: %v, %s", i+1, err, cmp.Diff(want[i], r))
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

// Records returns the records after any Seq, in a file with lines that are longer than
// the buffer. The loop may end early.
func TestFileRecordsAfter(t *testing.T) {
	testkit.SkipInShort(t)
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	var want []conversation.Record
	for i := range 15 {
		n := []int{1, 64<<10 - 100 + i, 100 << 10}[i%3]
		want = append(want, appendRecords(t, f, saidRecord(strings.Repeat(fmt.Sprint(i%10), n)))...)
	}
	for _, afters := range [][]int64{{-1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 1 << 40}, {0, 4, 5, 6, 16}} {
		for _, after := range afters {
			got, err := readAfter(t.Context(), f, after)
			if wanted := want[min(max(after, 0), 15):]; err != nil || !(len(got) == 0 && len(wanted) == 0) && !cmp.Equal(got, wanted) {
				t.Fatalf("Records(%d) gave %d records, %v, want %d", after, len(got), err, len(wanted))
			}
		}
		closeFile(t, f)
		f = openFile(t, path)
	}
	for r, err := range f.Records(t.Context(), 3) {
		if err != nil || r.Seq != 4 {
			t.Errorf("Records(3) begins with %d, %v", r.Seq, err)
		}
		break
	}
}

// A record that could not be read again is refused, and the journal still works.
func TestFileRefusesRecords(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	want := appendRecords(t, f, saidRecord("before"))
	for _, bad := range []conversation.Record{{}, {Kind: "branch"}, {Kind: conversation.MessageRecord}, saidRecord("\xff")} {
		records := []conversation.Record{saidRecord("beside"), bad}
		err := f.Append(t.Context(), records...)
		if !errors.Is(err, conversation.ErrJournal) || !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("Append(%v) = %v, want ErrJournal and ErrInvalid", bad, err)
		}
		if records[0].Seq != 0 {
			t.Errorf("Append(%v) set the Seq %d beside its error", bad, records[0].Seq)
		}
	}
	wantRecords(t, f, append(want, appendRecords(t, f, saidRecord("after"))...))
}
