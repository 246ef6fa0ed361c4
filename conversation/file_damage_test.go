package conversation_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// state returns everything that must not change when a file is refused.
func state(t testing.TB, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	testkit.Must(t, err)
	text, err := os.ReadFile(path)
	testkit.Must(t, err)
	return fmt.Sprintf("%d bytes, %x, %v, %v", info.Size(), sha256.Sum256(text), info.ModTime(), info.Mode())
}

// refused fails the test unless the file is refused for the reasons, and not changed.
func refused(t testing.TB, path string, reasons ...string) {
	t.Helper()
	before := state(t, path)
	f, err := conversation.FileJournal(path)
	if err == nil || f != nil {
		t.Fatalf("FileJournal() = %v, %v, want an error alone", f, err)
	}
	if !errors.Is(err, conversation.ErrJournal) || errors.As(err, new(*conversation.TornError)) {
		t.Errorf("FileJournal() = %v, want ErrJournal", err)
	}
	for _, reason := range append(reasons, filepath.Base(path)) {
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("FileJournal() = %v, want it to say %q", err, reason)
		}
	}
	if after := state(t, path); after != before {
		t.Errorf("the file was %s, and is %s", before, after)
	}
}

func TestFileForeign(t *testing.T) {
	one := `{"seq":1,"kind":"clear"}` + "\n"
	for name, c := range map[string]struct{ text, reason string }{
		"text":       {"dear diary\nnothing\n", "not a journal"},
		"JSON lines": {`{"role":"user","content":"a"}` + "\n", "not a journal"},
		"spaces":     {`{"seq": 1, "kind": "clear"}` + "\n", "not as record 1"},
		"BOM":        {"\ufeff" + one, "not a journal"},
		"CRLF":       {`{"seq":1,"kind":"clear"}` + "\r\n", "line 1"},
		"binary":     {"\x7fELF\x02\x01\x01\x00\x00\x00\n\x00", "not a journal"},
		"events":     {`{"seq":1,"kind":"login","user":"a"`, `login`},
		"newer":      {`{"seq":1,"kind":"branch"}` + "\n", `branch`},
		"from 2":     {`{"seq":2,"kind":"clear"}`, "not as record 1"},
		"no kind":    {`{"seq":1}`, "not as record 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			writeFile(t, path, []byte(c.text))
			refused(t, path, c.reason)
		})
	}
}

func TestFileNoFile(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "file"), nil)
	for name, path := range map[string]string{
		"no path": "", "a folder": dir, "no folder": filepath.Join(dir, "none", "j"), "a file as a folder": filepath.Join(dir, "file", "j"),
		"a slash": filepath.Join(dir, "none") + "/", "a NUL": "a\x00b",
	} {
		if f, err := conversation.FileJournal(path); f != nil || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("%s: FileJournal() = %v, %v, want ErrJournal", name, f, err)
		}
	}
	onlyThese(t, dir, "file")
}

func onlyThese(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the folder has other files (-want +got):\n%s", diff)
	}
}

func TestFileDamage(t *testing.T) {
	dir := t.TempDir()
	sound := filepath.Join(dir, "sound")
	f := openFile(t, sound)
	for _, text := range []string{"one", "two", "three"} {
		appendRecords(t, f, saidRecord(text), saidRecord(text+" again"))
	}
	closeFile(t, f)
	lines := strings.SplitAfter(string(readFile(t, sound)), "\n")[:6]
	const torn = `{"seq":7,"kind":"mess`
	for name, damage := range map[string]func(l []string) (line int){
		"a byte":             func(l []string) int { l[2] = strings.Replace(l[2], `"two"`, `"two`, 1); return 3 },
		"UTF-8":              func(l []string) int { l[3] = strings.Replace(l[3], "two", "tw\xff", 1); return 4 },
		"a line is missing":  func(l []string) int { l[3] = ""; return 4 },
		"a line is twice":    func(l []string) int { l[3] += l[3]; return 5 },
		"two lines swapped":  func(l []string) int { l[3], l[4] = l[4], l[3]; return 4 },
		"an empty line":      func(l []string) int { l[3] += "\n"; return 5 },
		"a second seq":       func(l []string) int { l[3] = strings.Replace(l[3], "}\n", `,"seq":9}`+"\n", 1); return 4 },
		"a space at the end": func(l []string) int { l[2] = strings.Replace(l[2], "\n", " \n", 1); return 3 },
		"no record":          func(l []string) int { l[3] = `{"seq":4,"kind":"message"}` + "\n"; return 4 },
		"NUL bytes":          func(l []string) int { l[2] = strings.Replace(l[2], "two", "\x00\x00\x00", 1); return 3 },
		"the end":            func(l []string) int { l[5] += "x"; return 7 },
		"a long end":         func(l []string) int { l[5] += strings.Repeat("x", 200_000); return 7 },
		"newer end":          func(l []string) int { l[5] += `{"seq":7,"kind":"branch"`; return 7 },
	} {
		for _, end := range []string{"", torn} {
			if strings.HasSuffix(name, "end") && end != "" {
				continue
			}
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+fmt.Sprint(len(end)))
			l := append([]string(nil), lines...)
			line := damage(l)
			writeFile(t, path, []byte(strings.Join(l, "")+end))
			at := len(strings.Join(strings.SplitAfter(strings.Join(l, ""), "\n")[:line-1], ""))
			if end != "" && name == "NUL bytes" {
				end = "more follows, as before"
			}
			refused(t, path, fmt.Sprintf("line %d, at byte %d", line, at))
		}
	}
}

// A file that is cut at any byte has its complete batches, and can be appended to. The
// last newline may be missing. After a power cut, NUL bytes stand where a block is lost.
func TestFileTorn(t *testing.T) {
	testkit.SkipInShort(t)
	dir := t.TempDir()
	sound := filepath.Join(dir, "sound")
	f := openFile(t, sound)
	var want []conversation.Record
	ends, counts := []int{0}, []int{0}
	for _, batch := range [][]conversation.Record{mixed[:1], mixed[:3], mixed[2:]} {
		want = append(want, appendRecords(t, f, append([]conversation.Record(nil), batch...)...)...)
		ends, counts = append(ends, len(readFile(t, sound))), append(counts, len(want))
	}
	closeFile(t, f)
	text := readFile(t, sound)
	for cut := 0; cut <= len(text); cut += testkit.Pick(53, 3, 1) {
		tails := []string{"", "\x00", strings.Repeat("\x00", 5000), "\x00\n", strings.Repeat("\x00", 70_000) + "\n"}
		for _, end := range ends {
			if lost := min(60, end-cut); lost > 0 && !slices.Contains(ends, cut) {
				tails = append(tails, strings.Repeat("\x00", lost)+string(text[cut+lost:end]))
				break
			}
		}
		for _, tail := range tails {
			if cut == 0 && tail != "" || cut == len(text) && tail == "\x00\n" {
				continue
			}
			if cut%7 > 0 && len(tail) > 10_000 {
				continue // slow, and the same at the next byte
			}
			path := filepath.Join(dir, "cut")
			writeFile(t, path, append(text[:cut:cut], tail...))
			last := 0
			for last+1 < len(ends) && ends[last+1] <= cut {
				last++
			}
			unended := tail == "" && last+1 < len(ends) && ends[last+1] == cut+1 // only the newline is missing
			if unended {
				last++
			}
			f, err := conversation.FileJournal(path)
			var torn *conversation.TornError
			if isTorn := cut+len(tail) > ends[last]; errors.As(err, &torn) != isTorn || !isTorn && err != nil {
				t.Fatalf("cut at %d and %d bytes: FileJournal() = %v, the last batch ends at %d", cut, len(tail), err, ends[last])
			}
			if torn != nil && (torn.Offset != int64(ends[last]) || torn.Path != path) {
				t.Fatalf("cut at %d: %+v, want offset %d", cut, torn, ends[last])
			}
			if got := readFile(t, path); string(got) != string(text[:ends[last]]) {
				t.Fatalf("cut at %d: %d bytes are left, want %d", cut, len(got), ends[last])
			}
			added := appendRecords(t, f, saidRecord("after"))
			wantRecords(t, f, append(want[:counts[last]:counts[last]], added...))
			closeFile(t, f)
			if cut%5 == 0 {
				f := openFile(t, path)
				wantRecords(t, f, append(want[:counts[last]:counts[last]], added...))
				closeFile(t, f)
			}
		}
	}
}

// Append fails if the file was removed, replaced or changed.
func TestFileReplaced(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		reason string
	}{
		"removed":  {os.Remove, "no such file"},
		"renamed":  {func(path string) error { return os.Rename(path, path+".old") }, "no such file"},
		"replaced": {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) }, "another file"},
		"emptied":  {func(path string) error { return os.Truncate(path, 0) }, "it has 0 bytes"},
		"lengthened": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("note to self\n")
			return errors.Join(err, f.Close())
		}, "something else wrote it"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			f := openFile(t, path)
			appendRecords(t, f, saidRecord("a"))
			if err := c.change(path); err != nil {
				t.Skip("the system does not allow it:", err)
			}
			for range 2 {
				err := f.Append(t.Context(), saidRecord("b"))
				if !errors.Is(err, conversation.ErrJournal) || !strings.Contains(err.Error(), c.reason) {
					t.Errorf("Append() = %v, want ErrJournal and %q", err, c.reason)
				}
			}
			if name == "emptied" {
				if _, err := readAfter(t.Context(), f, 0); !errors.Is(err, conversation.ErrJournal) || !strings.Contains(err.Error(), "line 1") {
					t.Errorf("Records() ended with %v, want ErrJournal at line 1", err)
				}
			}
		})
	}
}

// wholeBatches finds, slowly and simply, where the last complete batch of a journal
// ends, and how many records there are up to that place.
func wholeBatches(text []byte) (end, records int) {
	at, n := 0, 0
	for line := range bytes.Lines(text) {
		var r conversation.Record
		if !bytes.HasSuffix(line, []byte("}\n")) || json.Unmarshal(line, &r) != nil || r.Seq != int64(n+1) {
			return end, records
		}
		at += len(line)
		n++
		if !bytes.HasSuffix(line, []byte(`,"more":true}`+"\n")) {
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
		wantRecords(t, j, got)
		closeFile(t, j)
		j = openFile(t, path)
		wantRecords(t, j, got)
		closeFile(t, j)
	})
}
