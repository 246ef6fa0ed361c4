package workspace_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

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

// Every field of Limits is described by the row of AllLimits at its place.
func TestAllLimits(t *testing.T) {
	all, fields := workspace.AllLimits(), reflect.TypeFor[workspace.Limits]()
	if len(all) != fields.NumField()+reflect.TypeFor[workspace.StoreLimits]().NumField() {
		t.Fatalf("AllLimits has %d limits, not one for each field", len(all))
	}
	for i := range fields.NumField() {
		if name := fields.Field(i).Name; !strings.EqualFold(strings.ReplaceAll(all[i].Name, "-", ""), name) || all[i].Default < 1 {
			t.Errorf("the limit at the place of %s is %+v", name, all[i])
		}
	}
}

// oneFile is what the rows of a file with one version are charged.
const oneFile = 100 + 250

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
}

func TestIfVersion(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	put := func(n int64) error {
		return testkit.Err(ws.WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{IfVersion: &n}))
	}
	edit := func(n int64) error {
		return testkit.Err(ws.EditFile(t.Context(), "f", "x", "xx", workspace.EditOptions{IfVersion: &n}))
	}
	remove := func(n int64) error {
		return testkit.Err(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IfVersion: &n}))
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
}
