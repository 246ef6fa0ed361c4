package conversation_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

func openFile(t testing.TB, path string) *conversation.File {
	t.Helper()
	f, err := conversation.FileJournal(path)
	if err != nil {
		t.Fatalf("FileJournal() = %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func closeFile(t testing.TB, f *conversation.File) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
}

// fileLong reports whether the long proofs are to run.
func fileLong() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }

func saidRecord(text string) conversation.Record {
	m := conversation.UserText(text)
	return conversation.Record{Kind: conversation.MessageRecord, Message: &m}
}

func appendRecords(t testing.TB, j conversation.Journal, records ...conversation.Record) []conversation.Record {
	t.Helper()
	if err := j.Append(t.Context(), records...); err != nil {
		t.Fatalf("Append() = %v", err)
	}
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
	if err != nil {
		t.Fatalf("Records() ended with %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Records() (-want +got):\n%s", diff)
	}
}

// state is all that must not change of a file that is refused.
func state(t testing.TB, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d bytes, %x, %v, %v", info.Size(), sha256.Sum256(text), info.ModTime(), info.Mode())
}

func writeFile(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// refused demands that the file is not opened, for a reason, and not touched.
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

// Records after each Seq, in a file with lines that are longer than any buffer,
// and the iteration that is left early.
func TestFileRecordsAfter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	var want []conversation.Record
	for i := range 15 {
		n := []int{1, 64<<10 - 100 + i, 600 << 10}[i%3]
		want = append(want, appendRecords(t, f, saidRecord(strings.Repeat(fmt.Sprint(i%10), n)))...)
	}
	for range 2 {
		for _, after := range []int64{-1, 0, 3, 9, 14, 15, 16, 1 << 40} {
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

// However long the journal is, opening and reading it hold one record at a time.
func TestFileStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	records := make([]conversation.Record, 500)
	for i := range records {
		records[i] = saidRecord(strings.Repeat("x", 2000))
	}
	const rounds, most = 10, 3 << 20
	for range rounds {
		appendRecords(t, f, records...)
	}
	closeFile(t, f)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	f = openFile(t, path)
	n := 0
	for _, err := range f.Records(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%2000 == 0 {
			if grown := heap() - before; grown > most {
				t.Fatalf("after %d records %d bytes more are held, want at most %d", n, grown, most)
			}
		}
	}
	if info, err := os.Stat(path); err != nil || n != rounds*len(records) || info.Size() < 3*most {
		t.Errorf("%d records, %v, %d bytes", n, err, info.Size())
	}
}

// What the file cannot give back is not taken, and harms nothing.
func TestFileRefusesRecords(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	want := appendRecords(t, f, saidRecord("before"))
	call := func(arguments string) conversation.Record {
		return conversation.Record{Kind: conversation.MessageRecord, Message: &conversation.Message{Role: conversation.Assistant,
			ToolCalls: []conversation.ToolCall{{ID: "1", Name: "run", Arguments: json.RawMessage(arguments)}}}}
	}
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
	// These are JSON that the encoder or the decoder may refuse: stored and read
	// again, or refused.
	hard := []string{`{"x":"\ud800"}`, `"\udc00"`, `{"x":"\ud83d\ude00"}`, "null", " 1 "}
	for depth := 9985; depth < 10005; depth++ {
		hard = append(hard, strings.Repeat("[", depth)+strings.Repeat("]", depth))
	}
	for _, arguments := range hard {
		records := []conversation.Record{call(arguments)}
		if err := f.Append(t.Context(), records...); err == nil {
			want = append(want, records...)
		} else if !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Append(%.20s) = %v, want nil or ErrJournal", arguments, err)
		}
		got, err := readAfter(t.Context(), f, 0)
		if err != nil || len(got) != len(want) {
			t.Fatalf("after Append(%.20s): %d records, want %d, %v", arguments, len(got), len(want), err)
		}
	}
}

func TestFileForeign(t *testing.T) {
	one := `{"seq":1,"kind":"clear"}` + "\n"
	for name, c := range map[string]struct{ text, reason string }{
		"text":       {"dear diary\nnothing\n", "no journal"},
		"one line":   {"dear diary", "no journal"},
		"JSON":       {"{}", "no journal"},
		"null":       {"null\n", "no journal"},
		"array":      {"[]", "no journal"},
		"JSON lines": {`{"role":"user","content":"a"}` + "\n", "no journal"},
		"spaces":     {`{"seq": 1, "kind": "clear"}` + "\n", "no journal"},
		"newline":    {"\n", "no journal"},
		"newlines":   {"\n" + one, "no journal"},
		"BOM":        {"\ufeff" + one, "no journal"},
		"CRLF":       {`{"seq":1,"kind":"clear"}` + "\r\n", "line 1"},
		"a NUL":      {"\x00", "no journal"},
		"NULs":       {strings.Repeat("\x00", 300_000), "no journal"},
		"binary":     {"\x7fELF\x02\x01\x01\x00\x00\x00\n\x00", "no journal"},
		"long":       {strings.Repeat("x", 300_000), "no journal"},
		"events":     {`{"seq":1,"kind":"login","user":"a"`, `kind "login"`},
		"newer":      {`{"seq":1,"kind":"branch"}` + "\n", `kind "branch"`},
		"newer then": {one + `{"seq":2,"kind":"branch"}` + "\n", "line 2"},
		"from 2":     {`{"seq":2,"kind":"clear"}`, "seq 2, expected 1"},
		"no kind":    {`{"seq":1}`, "no journal"},
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
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the folder has other files (-want +got):\n%s", diff)
	}
}

// An empty file is a journal that nothing was stored in.
func TestFileEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	writeFile(t, path, nil)
	f := openFile(t, path)
	wantRecords(t, f, nil)
	wantRecords(t, f, appendRecords(t, f, saidRecord("a")))
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
		"the first byte":     func(l []string) int { l[2] = "x" + l[2][1:]; return 3 },
		"first line":         func(l []string) int { l[0] = strings.Replace(l[0], `"one"`, `one`, 1); return 1 },
		"UTF-8":              func(l []string) int { l[3] = strings.Replace(l[3], "two", "tw\xff", 1); return 4 },
		"a line is missing":  func(l []string) int { l[3] = ""; return 4 },
		"a line is twice":    func(l []string) int { l[3] += l[3]; return 5 },
		"two lines swapped":  func(l []string) int { l[3], l[4] = l[4], l[3]; return 4 },
		"an empty line":      func(l []string) int { l[3] += "\n"; return 5 },
		"two lines joined":   func(l []string) int { l[3] = strings.TrimSuffix(l[3], "\n"); return 4 },
		"a second seq":       func(l []string) int { l[3] = strings.Replace(l[3], "}\n", `,"seq":9}`+"\n", 1); return 4 },
		"a space at the end": func(l []string) int { l[2] = strings.Replace(l[2], "\n", " \n", 1); return 3 },
		"more":               func(l []string) int { l[2] = strings.Replace(l[2], `"more":true`, `"more": true`, 1); return 3 },
		"no record":          func(l []string) int { l[3] = `{"seq":4,"kind":"message"}` + "\n"; return 4 },
		"no role":            func(l []string) int { l[3] = strings.Replace(l[3], "user", "pope", 1); return 4 },
		"NUL bytes":          func(l []string) int { l[2] = strings.Replace(l[2], "two", "\x00\x00\x00", 1); return 3 },
		"the last line":      func(l []string) int { l[5] = strings.Replace(l[5], `"role"`, `"role`, 1); return 6 },
		"the end":            func(l []string) int { l[5] += "x"; return 7 },
		"a long end":         func(l []string) int { l[5] += strings.Repeat("x", 200_000); return 7 },
		"another end":        func(l []string) int { l[5] += `{"seq":8`; return 7 },
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

// A file that is cut at any byte holds the batches that are whole, and goes on.
func TestFileTorn(t *testing.T) {
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
	step := 11
	if fileLong() {
		step = 1
	}
	for cut := 0; cut <= len(text); cut += step {
		for _, tail := range []string{"", "\x00", strings.Repeat("\x00", 5000), "\x00\n", strings.Repeat("\x00", 70_000) + "\n"} {
			if cut == 0 && tail != "" || cut == len(text) && tail == "\x00\n" {
				continue
			}
			if cut%7 > 0 && len(tail) > 10_000 {
				continue // slow, and no other at the next byte
			}
			path := filepath.Join(dir, "cut")
			writeFile(t, path, append(text[:cut:cut], tail...))
			last := 0
			for last+1 < len(ends) && ends[last+1] <= cut {
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

func TestFileHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	want := appendRecords(t, f, saidRecord("a"))
	refused(t, path, "is held by another process")
	writeFile(t, path+".x", nil)
	link := path + ".link"
	if err := os.Symlink(path, link); err == nil {
		refused(t, link, "is held by another process")
	}
	wantRecords(t, f, want)
	closeFile(t, f)
	wantRecords(t, openFile(t, path), want)
}

func TestFileClosed(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	appendRecords(t, f, saidRecord("a"), saidRecord(strings.Repeat("b", 1<<20)))
	for _, err := range f.Records(t.Context(), 0) {
		if err != nil && !errors.Is(err, conversation.ErrClosed) {
			t.Errorf("Records() over a Close ended with %v, want ErrClosed", err)
		}
		closeFile(t, f)
	}
	closeFile(t, f)
	for _, after := range []int64{0, 1, 2} {
		if _, err := readAfter(t.Context(), f, after); !errors.Is(err, conversation.ErrClosed) || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Records(%d) after Close ended with %v, want ErrClosed and ErrJournal", after, err)
		}
	}
	for _, records := range [][]conversation.Record{nil, {saidRecord("c")}} {
		if err := f.Append(t.Context(), records...); !errors.Is(err, conversation.ErrClosed) || !errors.Is(err, conversation.ErrJournal) {
			t.Errorf("Append() after Close = %v, want ErrClosed and ErrJournal", err)
		}
	}
}

func TestFileContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	want := appendRecords(t, f, saidRecord("a"), saidRecord("b"))
	ended, end := context.WithCancel(t.Context())
	end()
	records := []conversation.Record{saidRecord("c")}
	if err := f.Append(ended, records...); !errors.Is(err, context.Canceled) || !errors.Is(err, conversation.ErrJournal) || records[0].Seq != 0 {
		t.Errorf("Append() = %v and Seq %d, want Canceled and ErrJournal and no Seq", err, records[0].Seq)
	}
	if got, err := readAfter(ended, f, 0); !errors.Is(err, context.Canceled) || !errors.Is(err, conversation.ErrJournal) || got != nil {
		t.Errorf("Records() = %v, %v, want Canceled and ErrJournal", got, err)
	}
	wantRecords(t, f, want)
}

// What would go into a file that nobody finds again is an error.
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

// Damage that comes while the journal is open is found by who reads it.
func TestFileDamageLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	appendRecords(t, f, saidRecord("one"))
	appendRecords(t, f, saidRecord("two"), saidRecord("three"))
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := string(readFile(t, path))
	if _, err := w.WriteAt([]byte("x"), int64(strings.Index(text, `"two"`))); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got, err := readAfter(t.Context(), f, 0)
	if len(got) != 1 || !errors.Is(err, conversation.ErrJournal) || !strings.Contains(err.Error(), "line 2, at byte ") {
		t.Errorf("Records() = %d records, %v, want one and ErrJournal at line 2", len(got), err)
	}
	if got, err := readAfter(t.Context(), f, 2); len(got) != 1 || err != nil {
		t.Errorf("Records(2) = %d records, %v, want one", len(got), err)
	}
}

// A path that is relative stays the same file when the process goes elsewhere.
func TestFileRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	f := openFile(t, "journal.jsonl")
	t.Chdir(t.TempDir())
	wantRecords(t, f, appendRecords(t, f, saidRecord("a")))
}

// Many append and read at once: batches are whole and in one piece, each
// goroutine's in its order, and a reader in the loop may append.
func TestFileConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	f := openFile(t, path)
	const writers = 8
	rounds := 40
	if fileLong() {
		rounds = 400
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	seqs := map[int64]string{} // what was acknowledged
	for w := range writers {
		wg.Go(func() {
			for n := range rounds {
				records := make([]conversation.Record, 1+(w+n)%3)
				for i := range records {
					records[i] = saidRecord(fmt.Sprintf("%d %d %d/%d", w, n, i, len(records)))
				}
				if err := f.Append(t.Context(), records...); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, r := range records {
					seqs[r.Seq] = r.Message.Content
				}
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			mu.Lock()
			acked := len(seqs)
			mu.Unlock()
			got, err := readAfter(t.Context(), f, 0)
			if err != nil || len(got) < acked {
				t.Errorf("%d records, %v, of %d acknowledged", len(got), err, acked)
			}
			checkWhole(t, got)
		}
	})
	wg.Wait()
	own := 0
	for r, err := range f.Records(t.Context(), 0) {
		if err != nil || seqs[r.Seq] != r.Message.Content {
			t.Fatalf("record %d is %q, %v, its Append was told %q", r.Seq, r.Message.Content, err, seqs[r.Seq])
		}
		if r.Seq%100 == 1 {
			appendRecords(t, f, saidRecord("0 9999 0/1"))
			own++
		}
	}
	closeFile(t, f)
	got, err := readAfter(t.Context(), openFile(t, path), 0)
	if err != nil || len(got) != len(seqs)+own {
		t.Errorf("%d records, %v, want %d", len(got), err, len(seqs)+own)
	}
	checkWhole(t, got)
}

// checkWhole looks at records "writer number i/size": each batch is there in one
// piece, and a writer's numbers ascend.
func checkWhole(t testing.TB, records []conversation.Record) {
	t.Helper()
	last := map[string]int{}
	for at := 0; at < len(records); {
		who, n, i, size := parseSaid(t, records[at])
		if before, ok := last[who]; i != 0 || ok && n < before {
			t.Fatalf("record %d is %q, after number %d", at+1, records[at].Message.Content, before)
		}
		last[who] = n
		for j := range size {
			if at+j >= len(records) {
				t.Fatalf("the last batch has %d records of %d", j, size)
			}
			if who2, n2, i2, _ := parseSaid(t, records[at+j]); who2 != who || n2 != n || i2 != j || records[at+j].Seq != int64(at+j+1) {
				t.Fatalf("record %d is %q, want part %d of %s %d", records[at+j].Seq, records[at+j].Message.Content, j, who, n)
			}
		}
		at += size
	}
}

func parseSaid(t testing.TB, r conversation.Record) (who string, n, i, size int) {
	t.Helper()
	if r.Message == nil {
		t.Fatalf("record %d has no message", r.Seq)
	}
	if _, err := fmt.Sscanf(r.Message.Content, "%s %d %d/%d", &who, &n, &i, &size); err != nil || size == 0 {
		t.Fatalf("record %d is %.40q: %v", r.Seq, r.Message.Content, err)
	}
	return who, n, i, size
}
