package workspace_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestDefaultLimits(t *testing.T) {
	want := workspace.Limits{
		FileBytes: 1_048_576, EntryBytes: 65_536, Versions: 10, Files: 1000, Logs: 1000, Entries: 100_000, Bytes: 100_000_000, Changes: 10_000,
	}
	if got := workspace.DefaultLimits(); got != want {
		t.Errorf("DefaultLimits = %+v, want %+v", got, want)
	}
	u, err := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Files: 7}}).Usage(t.Context())
	if want.Files = 7; err != nil || u.Limits != want {
		t.Errorf("Usage of a service with one limit set has %+v, %v, want the others by default: %+v", u.Limits, err, want)
	}
}

// What is as large as its limit is stored, one byte more is not, nor anything
// of it.
func TestSizes(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	const file, entry = 1 << 20, 64 << 10
	write(t, ws, "f", strings.Repeat("\x00", file))
	appendLog(t, ws, "l", strings.Repeat("\x00", entry))
	before := usage(t, ws)

	_, err := ws.WriteFile(t.Context(), "f", make([]byte, file+1), workspace.WriteOptions{})
	wantErr(t, "WriteFile", err, workspace.ErrTooLarge, "write f: 1048577 bytes, limit 1048576; split it into several files: too large")
	_, err = ws.AppendLog(t.Context(), "l", make([]byte, entry+1))
	wantErr(t, "AppendLog", err, workspace.ErrTooLarge, "append to l: 65537 bytes, limit 65536; split it into several entries: too large")
	_, err = ws.AppendLog(t.Context(), "l", []byte("ok"), make([]byte, entry+1), []byte("ok"))
	wantErr(t, "AppendLog of three", err, workspace.ErrTooLarge, "entry 2", "65537 bytes, limit 65536")
	_, err = ws.EditFile(t.Context(), "f", "x", strings.Repeat("y", file+1), workspace.EditOptions{})
	wantErr(t, "EditFile", err, workspace.ErrTooLarge, "edit f: 1048577 bytes, limit 1048576; split it into several files: too large")
	_, err = ws.EditFile(t.Context(), "f", "\x00", "\x00\x00", workspace.EditOptions{All: true})
	wantErr(t, "EditFile of all", err, workspace.ErrTooLarge, "2097152 bytes after the edit, limit 1048576")

	if after := usage(t, ws); after.Bytes != before.Bytes || after.Entries != before.Entries || after.Operations != before.Operations+1 {
		t.Errorf("after what is too large the usage is %+v, want that from before, %+v, and one operation", after, before)
	}
}

// What rows are charged.
const (
	onePath    = 100
	oneVersion = 250
	oneEntry   = 200
	oneFile    = onePath + oneVersion
)

// quotaTest fills an agent to a limit, and says what goes beyond.
type quotaTest struct {
	name   string
	limits workspace.Limits
	fill   func(testing.TB, *workspace.Workspace)
	beyond func(testing.TB, *workspace.Workspace) error
	says   string
	room   func(testing.TB, *workspace.Workspace) // makes room for it
}

var quotaTests = []quotaTest{
	{"files", workspace.Limits{Files: 3},
		func(t testing.TB, ws *workspace.Workspace) {
			for i := range 3 {
				write(t, ws, fmt.Sprint("f", i), "x")
			}
			write(t, ws, "f0", "again")
		},
		writeNew, "file limit reached (3 of 3), this write adds 1", deleteFile},
	{"logs", workspace.Limits{Logs: 2},
		func(t testing.TB, ws *workspace.Workspace) {
			appendLog(t, ws, "l0", "x")
			appendLog(t, ws, "l1", "x")
			appendLog(t, ws, "l1", "x")
		},
		appendNew, "log limit reached (2 of 2), this write adds 1", deleteLog},
	{"entries", workspace.Limits{Entries: 5},
		func(t testing.TB, ws *workspace.Workspace) { appendLog(t, ws, "l0", "1", "2", "3", "4", "5") },
		appendNew, "entry limit reached (5 of 5), this write adds 1", deleteLog},
	{"entries by several", workspace.Limits{Entries: 5},
		func(t testing.TB, ws *workspace.Workspace) { appendLog(t, ws, "l0", "1", "2", "3") },
		func(t testing.TB, ws *workspace.Workspace) error {
			_, err := ws.AppendLog(t.Context(), "new", asBytes([]string{"1", "2", "3"})...)
			return err
		}, "entry limit exceeded (3 of 5), this write adds 3", deleteLog},
	{"bytes of files", workspace.Limits{Bytes: oneFile + oneVersion + 100},
		func(t testing.TB, ws *workspace.Workspace) {
			write(t, ws, "f0", strings.Repeat("x", 60))
			write(t, ws, "f0", strings.Repeat("y", 40))
		},
		writeNew, "700 bytes of 700 are used (100 of content and 600 for its rows), this write adds 351 (1 and 350)", deleteFile},
	{"bytes of entries", workspace.Limits{Bytes: onePath + 2*oneEntry + 100},
		func(t testing.TB, ws *workspace.Workspace) {
			appendLog(t, ws, "l0", strings.Repeat("x", 60), strings.Repeat("y", 40))
		},
		appendNew, "600 bytes of 600 are used (100 of content and 500 for its rows), this write adds 301 (1 and 300)", deleteLog},
	{"bytes of rows alone", workspace.Limits{Bytes: onePath + 5*oneEntry},
		func(t testing.TB, ws *workspace.Workspace) { appendLog(t, ws, "l0", "", "", "", "", "") },
		appendNew, "1100 bytes of 1100 are used (0 of content and 1100 for its rows), this write adds 301", deleteLog},
	{"bytes of keys", workspace.Limits{Bytes: onePath + 5*oneVersion + 1100},
		func(t testing.TB, ws *workspace.Workspace) {
			for i := range 5 {
				o := workspace.WriteOptions{IdempotencyKey: fmt.Sprint(i)}
				if _, err := ws.WriteFile(t.Context(), "f0", []byte(strings.Repeat("x", 20)), o); err != nil {
					t.Fatal(err)
				}
			}
		},
		writeNew, "2450 bytes of 2450 are used (100 of content and 2350 for its rows), this write adds 351", deleteFile},
	{"bytes of an edit", workspace.Limits{Bytes: 2*oneFile + oneVersion - 1 + 26},
		func(t testing.TB, ws *workspace.Workspace) {
			write(t, ws, "f0", "0123456789")
			write(t, ws, "l0", "01234")
		},
		func(t testing.TB, ws *workspace.Workspace) error {
			_, err := ws.EditFile(t.Context(), "f0", "9", "90", workspace.EditOptions{})
			return err
		}, "715 bytes of 975 are used (15 of content and 700 for its rows), this write adds 261 (11 and 250)",
		func(t testing.TB, ws *workspace.Workspace) {
			if _, err := ws.DeleteFile(t.Context(), "l0", workspace.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}},
}

func writeNew(t testing.TB, ws *workspace.Workspace) error {
	_, err := ws.WriteFile(t.Context(), "new", []byte("x"), workspace.WriteOptions{})
	return err
}

func appendNew(t testing.TB, ws *workspace.Workspace) error {
	_, err := ws.AppendLog(t.Context(), "new", []byte("x"))
	return err
}

func deleteFile(t testing.TB, ws *workspace.Workspace) {
	if _, err := ws.DeleteFile(t.Context(), "f0", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func deleteLog(t testing.TB, ws *workspace.Workspace) {
	if _, err := ws.DeleteLog(t.Context(), "l0", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestQuota(t *testing.T) {
	for _, test := range quotaTests {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, workspace.Options{Limits: test.limits})
			test.fill(t, ws)
			before := usage(t, ws)
			wantErr(t, "the write beyond the limit", test.beyond(t, ws), workspace.ErrQuota, test.says)
			before.Operations++
			if after := usage(t, ws); after != before {
				t.Errorf("after a refused write the usage is %+v, want %+v", after, before)
			}
			test.room(t, ws)
			if err := test.beyond(t, ws); err != nil {
				t.Errorf("the same write with room made for it = %v", err)
			}
		})
	}
}

// At the cap a path that holds all of its versions is overwritten with no more
// than what that prunes.
func TestOverwriteAtTheCap(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Bytes: 2*onePath + 3*oneVersion + 100, Versions: 2}})
	write(t, ws, "f", strings.Repeat("a", 30))
	write(t, ws, "f", strings.Repeat("b", 20))
	write(t, ws, "g", strings.Repeat("c", 50))

	_, err := ws.WriteFile(t.Context(), "f", make([]byte, 31), workspace.WriteOptions{})
	wantErr(t, "an overwrite with a byte more than it prunes", err, workspace.ErrQuota, "1050 bytes of 1050", "adds 1 (1 and 0);")
	_, err = ws.WriteFile(t.Context(), "g", nil, workspace.WriteOptions{})
	wantErr(t, "an empty version more at the cap", err, workspace.ErrQuota, "adds 250 (0 and 250);")
	write(t, ws, "f", strings.Repeat("d", 30))
	_, err = ws.WriteFile(t.Context(), "f", make([]byte, 21), workspace.WriteOptions{})
	wantErr(t, "an overwrite with a byte more than it prunes", err, workspace.ErrQuota, "adds 1 (1 and 0);")
	write(t, ws, "f", strings.Repeat("e", 20))
	if u := usage(t, ws); u.Bytes != 100 {
		t.Errorf("the agent uses %d bytes, want 100", u.Bytes)
	}
}

// A limit that is lowered removes nothing by itself: what is over it stays and
// may shrink, not grow.
func TestLoweredLimits(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for i := range 6 {
		write(t, ws, "f", strings.Repeat("x", 100+i))
	}
	write(t, ws, "g", "x")
	appendLog(t, ws, "l", "1", "2", "3")
	appendLog(t, ws, "m", "1")
	low := agentOf(t, serviceOn(t, store, workspace.Options{Limits: workspace.Limits{
		FileBytes: 50, EntryBytes: 2, Versions: 2, Files: 1, Logs: 1, Entries: 2, Bytes: 300,
	}}), "a")

	if h, err := low.History(t.Context(), "f"); err != nil || len(h) != 6 {
		t.Errorf("with a lower limit the file has %d versions, %v, want all 6 until it is written", len(h), err)
	}
	if r := read(t, low, "f", workspace.ReadOptions{}); r.Bytes != 105 {
		t.Errorf("a file over the lower limit has %d bytes, want 105", r.Bytes)
	}
	for name, err := range map[string]error{
		"a new file":    second(low.WriteFile(t.Context(), "new", nil, workspace.WriteOptions{})),
		"a new log":     second(low.AppendLog(t.Context(), "new", nil)),
		"another entry": second(low.AppendLog(t.Context(), "l", nil)),
	} {
		wantErr(t, name+" over the lower limit", err, workspace.ErrQuota, "of ", "this write adds 1")
	}
	_, err := low.WriteFile(t.Context(), "f", make([]byte, 51), workspace.WriteOptions{})
	wantErr(t, "a write over the lower limit", err, workspace.ErrTooLarge, "51 bytes, limit 50")

	write(t, low, "f", strings.Repeat("y", 50))
	h, err := low.History(t.Context(), "f")
	if err != nil || len(h) != 2 || h[0].Version != 6 || h[1].Version != 7 {
		t.Errorf("after a write under the lower limit the history is %+v, %v, want versions 6 and 7", h, err)
	}
	if u := usage(t, low); u.Bytes != 105+50+1+4 || u.Files != 2 || u.Entries != 4 {
		t.Errorf("the usage is %+v, want 160 bytes, 2 files and 4 entries", u)
	}
}

func second[T any](_ T, err error) error { return err }

// A quota is exact whatever is written at once.
func TestQuotaUnderConcurrency(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Files: 10, Entries: 25, Bytes: 10_000}})
	var mu sync.Mutex // guards files and entries
	var files, entries int
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 4 {
				_, err := ws.WriteFile(t.Context(), fmt.Sprintf("f%d-%d", i, j), []byte("x"), workspace.WriteOptions{})
				_, err2 := ws.AppendLog(t.Context(), "l", []byte("1"), []byte("2"))
				mu.Lock()
				if err == nil {
					files++
				} else {
					wantErr(t, "WriteFile", err, workspace.ErrQuota)
				}
				if err2 == nil {
					entries += 2
				} else {
					wantErr(t, "AppendLog", err2, workspace.ErrQuota)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if u := usage(t, ws); files != 10 || entries != 24 || u.Files != 10 || u.Entries != 24 || u.Bytes != 34 {
		t.Errorf("%d files and %d entries were acknowledged, the usage is %+v; want 10 and 24, and 34 bytes", files, entries, u)
	}
}

func TestTextIsUTF8(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, test := range []struct {
		text string
		at   int
	}{{"\xff", 1}, {"ab\xc3", 3}, {"日本\x80", 7}, {"\xed\xa0\x80", 1}, {"\xc0\x80", 1}, {"ok\xf4\x90\x80\x80", 3}} {
		says := fmt.Sprintf("byte %d is not valid UTF-8", test.at)
		_, err := ws.WriteFile(t.Context(), "f", []byte(test.text), workspace.WriteOptions{})
		wantErr(t, "WriteFile", err, workspace.ErrInvalid, says)
		_, err = ws.AppendLog(t.Context(), "f", []byte("ok"), []byte(test.text))
		wantErr(t, "AppendLog", err, workspace.ErrInvalid, says, "entry 2")
		_, err = ws.EditFile(t.Context(), "f", "x", test.text, workspace.EditOptions{})
		wantErr(t, "EditFile", err, workspace.ErrInvalid, says)
	}
	for _, text := range []string{"", "\x00", "\ufeff\ufffd", "\U0010ffff", "\r\n\t\x7f", "é", "e\u0301"} {
		write(t, ws, "f", text)
		appendLog(t, ws, "f", text)
		page, err := ws.ReadLog(t.Context(), "f", workspace.ReadLogOptions{Tail: 1})
		if r := read(t, ws, "f", workspace.ReadOptions{}); err != nil || string(r.Content) != text || string(page.Entries[0].Content) != text {
			t.Errorf("%q came back as the file %q and the entry %q, %v", text, r.Content, page.Entries[0].Content, err)
		}
	}
}

func TestIfVersion(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	put := func(n int64) error {
		return second(ws.WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{IfVersion: &n}))
	}
	edit := func(n int64) error {
		return second(ws.EditFile(t.Context(), "f", "x", "xx", workspace.EditOptions{IfVersion: &n}))
	}
	remove := func(n int64) error {
		return second(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IfVersion: &n}))
	}
	wantErr(t, "write at 1 of no file", put(1), workspace.ErrConflict, "does not exist", "IfVersion is 1")
	wantErr(t, "edit at 1 of no file", edit(1), workspace.ErrNotFound)
	wantErr(t, "write at 0 of no file", put(0), nil)
	wantErr(t, "write at 0 of a file", put(0), workspace.ErrConflict, "exists at version 1", "IfVersion is 0")
	wantErr(t, "write at 1", put(1), nil)
	for name, f := range map[string]func(int64) error{"write": put, "edit": edit, "delete": remove} {
		wantErr(t, name+" at 1 of a file at 2", f(1), workspace.ErrConflict, "it is at version 2", "IfVersion is 1", "with Since 1 to see")
		wantErr(t, name+" at 3 of a file at 2", f(3), workspace.ErrConflict, "it is at version 2", "IfVersion is 3")
		wantErr(t, name+" at -1", f(-1), workspace.ErrInvalid, "IfVersion is -1")
		wantErr(t, name+" at 2^53+1", f(1<<53+1), workspace.ErrInvalid, "IfVersion is 9007199254740993")
	}
	wantErr(t, "edit at 0", edit(0), workspace.ErrInvalid, "IfVersion is 0")
	wantErr(t, "delete at 0 of a file", remove(0), workspace.ErrConflict, "exists at version 2")
	wantErr(t, "edit at 2", edit(2), nil)
	wantErr(t, "delete at 3", remove(3), nil)
	wantErr(t, "delete at 0 of a deleted file", remove(0), nil)
	wantErr(t, "write at 3 of a deleted file", put(3), workspace.ErrConflict, "does not exist")
	wantErr(t, "write at 0 of a deleted file", put(0), nil)
	if r := read(t, ws, "f", workspace.ReadOptions{}); r.Current != 4 {
		t.Errorf("the file is at version %d, want 4: the numbers go on after the delete", r.Current)
	}
	_, err := ws.DeleteLog(t.Context(), "f", workspace.DeleteOptions{IfVersion: ptr(1)})
	wantErr(t, "DeleteLog with a version", err, workspace.ErrInvalid, "a log has no versions")
}
