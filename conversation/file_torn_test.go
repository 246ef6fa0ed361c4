package conversation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// wholeBatches finds, slowly and simply, where the last complete batch of a journal
// ends, and how many records there are up to that place.
func wholeBatches(text []byte) (end, records int) {
	at, n := 0, 0
	for line := range bytes.Lines(text) {
		var r conversation.Record
		var members map[string]json.RawMessage
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &r) != nil || json.Unmarshal(line, &members) != nil || r.Seq != int64(n+1) {
			return end, records
		}
		at += len(line)
		n++
		if string(members["more"]) != "true" {
			end, records = at, n
		}
	}
	return end, records
}

// Any file is refused and not changed, or it is opened with all of its complete batches
// and can be appended to.
func FuzzFileJournal(f *testing.F) {
	one, two := `{"seq":1,"kind":"clear"}`+"\n", `{"seq":2,"kind":"message","message":{"role":"user","content":"a"}}`+"\n"
	batch := `{"seq":3,"kind":"summary","summary":"s","through":2,"evidence":["e"],"more":true}` + "\n" + `{"seq":4,"kind":"clear"}` + "\n"
	for _, seed := range []string{
		"", "{", "{}", "\n", "\x00", `{"seq":`, one, one + two, one + two + batch, one + two + batch[:90], one + two + batch[:50], one[:20], one[:24],
		one + "\x00\x00", one + two + batch[:100] + "\x00\x00\n", one + "\x00\x00\n" + two, one + one, one + "\n", one + `{"seq":2,"kind":"branch"}` + "\n",
		one + "x", "\x00" + one, strings.ReplaceAll(one, "}", "} "), strings.ReplaceAll(one, "}", `,"more":true }`), strings.ReplaceAll(one, "}", `,"more":false}`), strings.ReplaceAll(one, "}", `,"more": true}`),
		strings.Replace(one, "}", `,"more":true}`, 1), one + `{"seq":2,"kind":"message","message":{"role":"user","content":"` + "\xff" + `"}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		writeFile(t, path, text)
		before := state(t, path)
		j, err := conversation.FileJournal(path)
		var torn *conversation.TornError
		switch {
		case errors.As(err, &torn):
		case err != nil:
			if after := state(t, path); after != before || j != nil || !errors.Is(err, conversation.ErrJournal) {
				t.Fatalf("%v, and the file was %s and is %s", err, before, after)
			}
			return
		}
		end, records := wholeBatches(text)
		if last := text[end:]; torn == nil && len(last) > 0 {
			text = append(bytes.Clone(text), '\n') // the missing newline
			end, records = wholeBatches(text)
		}
		if torn != nil && torn.Offset != int64(end) || torn == nil && end != len(text) || !bytes.Equal(readFile(t, path), text[:end]) {
			t.Fatalf("FileJournal() = %v, %d bytes are left of %d, %d are whole", err, len(readFile(t, path)), len(text), end)
		}
		got, err := readAfter(t.Context(), j, 0)
		if err != nil || len(got) != records {
			t.Fatalf("Records() gave %d, %v, want %d", len(got), err, records)
		}
		added := []conversation.Record{saidRecord("x"), {Kind: conversation.MessageRecord, Message: &conversation.Message{Role: conversation.Assistant,
			ToolCalls: []conversation.ToolCall{{Arguments: json.RawMessage(text)}}}}}
		if err := j.Append(t.Context(), added...); err == nil {
			got = append(got, added...)
		} else if !errors.Is(err, conversation.ErrInvalid) {
			t.Fatal(err)
		}
		got = append(got, appendRecords(t, j, saidRecord("y"))...)
		wantEqual(t, j, got)
		closeFile(t, j)
		j = openFile(t, path)
		wantEqual(t, j, got)
		closeFile(t, j)
	})
}

// wantEqual is like wantRecords, but takes empty arguments for none.
func wantEqual(t testing.TB, j conversation.Journal, want []conversation.Record) {
	t.Helper()
	got, err := readAfter(t.Context(), j, 0)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d records, %v, want %d", len(got), err, len(want))
	}
	for i := range got {
		one, err1 := got[i].MarshalJSON()
		two, err2 := want[i].MarshalJSON()
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(one, two) {
			t.Fatalf("record %d is %s, want %s, %v", i+1, one, two, err)
		}
	}
}
