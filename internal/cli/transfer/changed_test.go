package transfer_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// contents counts the versions and the entries of an agent by path, author and text.
func contents(t rapid.TB, ws *workspace.Workspace) map[string]int {
	counts := map[string]int{}
	for _, line := range state(t, ws, true) {
		f := strings.SplitN(line, " ", 4)
		after := f[3] // the author in braces, the time, the text
		_, text, _ := strings.Cut(after, " UTC ")
		counts[f[0]+" "+f[1]+" "+text]++
	}
	return counts
}

// current returns the content of each file.
func current(t rapid.TB, ws *workspace.Workspace) map[string]string {
	files := map[string]string{}
	list, err := ws.ListFiles(context.Background(), workspace.ListOptions{})
	testkit.Must(t, err)
	for _, f := range list.Files {
		r, err := ws.ReadFile(context.Background(), f.Path, workspace.ReadOptions{})
		testkit.Must(t, err)
		files[f.Path] = string(r.Content)
	}
	return files
}

// An import into a database that has changed makes the files those of the export. It
// keeps every version and entry that was there, and a second import changes nothing.
func TestImportIntoChanged(t *testing.T) {
	testkit.SkipInShort(t)
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		base, n := t.TempDir(), 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			dir := filepath.Join(base, fmt.Sprint(n))
			defer os.RemoveAll(dir)
			store, done := open(t)
			defer done()
			limits := workspace.Options{Limits: workspace.Limits{Versions: 1000}}
			to := agent(t, store, "to", limits)
			from := to
			if rapid.Bool().Draw(t, "another agent") {
				from = agent(t, store, "from", limits)
				fill(t, to)
			}
			fill(t, from)
			export(t, from, dir, rapid.Bool().Draw(t, "versions"))
			exported := current(t, from)
			said := contents(t, from)
			fill(t, to)
			before := contents(t, to)

			first := importAll(t, to, dir)
			if len(first.LeftOut) > 0 {
				t.Fatalf("left out: %+v", first.LeftOut)
			}
			files, after := current(t, to), contents(t, to)
			for path, content := range exported {
				if files[path] != content {
					t.Fatalf("%s is %q, in the export %q", path, files[path], content)
				}
			}
			for what, n := range before {
				if after[what] < n {
					t.Fatalf("%s was there %d times, and now %d", what, n, after[what])
				}
			}
			for what, n := range said {
				if strings.HasPrefix(what, "log ") && (after[what] < n || after[what] > n+before[what]) {
					t.Fatalf("%s is there %d times; the export has it %d times, and it was there %d times", what, after[what], n, before[what])
				}
			}
			if again := importAll(t, to, dir); len(again.Changes) > 0 {
				t.Fatalf("the second import did %+v", again)
			}
		})
	})
}

// An entry that is said again and again is told apart by its time.
func TestImportRepeatedEntries(t *testing.T) {
	clock := testkit.NewClock()
	o := workspace.Options{Now: clock.Now}
	here, there := memory(t, o), memory(t, o)
	for range 5 {
		for _, ws := range []*workspace.Workspace{here, there} {
			clock.Advance(time.Second)
			appendLog(t, ws, "log", "ok")
		}
	}
	dir := filepath.Join(t.TempDir(), "x")
	_, err := transfer.Export(t.Context(), there, dir, transfer.ExportOptions{Now: clock.Now})
	testkit.Must(t, err)
	for _, want := range []int64{5, 0} {
		r, err := transfer.Import(t.Context(), here, dir, transfer.ImportOptions{Now: clock.Now})
		testkit.Must(t, err)
		var added int64
		for _, c := range r.Changes {
			added += c.Entries
		}
		if added != want {
			t.Errorf("%d entries were added, want %d", added, want)
		}
	}
	appendLog(t, there, "log", "new")
	testkit.Must(t, os.RemoveAll(dir))
	testkit.Must(t, testkit.Err(transfer.Export(t.Context(), there, dir, transfer.ExportOptions{Now: clock.Now})))
	r, err := transfer.Import(t.Context(), here, dir, transfer.ImportOptions{Now: clock.Now})
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Entries != 1 {
		t.Errorf("after one more entry: %+v, %v", r, err)
	}
}

// A file that was edited in the folder becomes a new version, above the numbers of its
// history. A log that was edited and an old version that was damaged are left out.
func TestImportEdited(t *testing.T) {
	from := memory(t, workspace.Options{})
	for _, c := range []string{"1", "2", "3"} {
		write(t, from, "edited", c)
		write(t, from, "damaged", c)
		write(t, from, "gone", c)
	}
	appendLog(t, from, "log", "x")
	dir := exported(t, from, true)
	for name, content := range map[string]string{"files/edited": "mine", "versions/damaged/%v2": "?", "logs/log.jsonl": "{}"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	testkit.Must(t, os.Remove(filepath.Join(dir, "files/gone")))
	to := memory(t, workspace.Options{})
	r := importAll(t, to, dir)
	want := []string{"logs/log.jsonl", "files/gone", "versions/damaged/%v2"}
	for _, l := range r.LeftOut {
		if !slices.Contains(want, l.Name) {
			t.Errorf("left out: %+v", l)
		}
	}
	if len(r.LeftOut) != len(want) || len(r.Changes) != 2 {
		t.Errorf("Import = %+v", r)
	}
	got := state(t, to, true)
	if len(got) != 2 || !strings.HasPrefix(got[0], "file damaged 3 ") || !strings.HasPrefix(got[1], "file edited 4 {importer") {
		t.Errorf("the agent has %q", got)
	}
	write(t, to, "edited", "later")
	if r := importAll(t, to, dir); len(r.Changes) != 1 || r.Changes[0].Version != 6 {
		t.Errorf("the second import did %+v", r.Changes)
	}
}

// A file that was added to the folder of an export is imported under the path that its
// name stands for.
func TestImportAdded(t *testing.T) {
	from := memory(t, workspace.Options{})
	write(t, from, "a", "x")
	write(t, from, "sub/Con", "x")
	dir := exported(t, from, false)
	for name, content := range map[string]string{"sub/new.md": "new", "%41": "A", "%61": "another a", "%zz": "?", "b~": "?"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "files", name), []byte(content), 0o600))
	}
	to := memory(t, workspace.Options{})
	r := importAll(t, to, dir)
	want := map[string]string{"a": "x", "sub/Con": "x", "sub/new.md": "new", "A": "A"}
	if got := current(t, to); !maps.Equal(got, want) || len(r.LeftOut) != 3 {
		t.Errorf("the agent has %q, left out: %+v", got, r.LeftOut)
	}
	if again := importAll(t, to, dir); len(again.Changes) > 0 {
		t.Errorf("the second import did %+v", again.Changes)
	}
}

// What is beyond a limit is left out with the reason, and the rest is imported. With a
// higher limit another import brings what is missing.
func TestImportLimits(t *testing.T) {
	testkit.SkipInShort(t)
	from := memory(t, workspace.Options{})
	for i := range 9 {
		write(t, from, fmt.Sprint("f", i), strings.Repeat("x", 100*i))
		appendLog(t, from, fmt.Sprint("l", i), "a", "longer", strings.Repeat("y", 10*i))
	}
	dir := exported(t, from, true)
	for _, c := range []struct {
		limits   workspace.Limits
		first    transfer.LeftOut
		left, in int // names that are left out; lines of the state
	}{
		{workspace.Limits{FileBytes: 450}, transfer.LeftOut{Name: "files/f5", Reason: "500 bytes, limit 450"}, 4, 5 + 27},
		{workspace.Limits{EntryBytes: 45}, transfer.LeftOut{Name: "logs/l5.jsonl, line 3", Reason: "50 bytes, limit 45"}, 4, 9 + 23},
		{workspace.Limits{Files: 3}, transfer.LeftOut{Name: "files/f3", Reason: "file limit reached (3 of 3)"}, 6, 3 + 27},
		{workspace.Limits{Logs: 3}, transfer.LeftOut{Name: "logs/l3.jsonl", Reason: "log limit reached (3 of 3)"}, 6, 9 + 9},
		{workspace.Limits{Entries: 10}, transfer.LeftOut{Name: "logs/l3.jsonl", Reason: "entry limit exceeded (9 of 10), this write adds 3"}, 6, 9 + 9},
		{workspace.Limits{Entries: 2}, transfer.LeftOut{Name: "logs/l0.jsonl", Reason: "it has more than 2 entries"}, 9, 9},
		{workspace.Limits{Bytes: 2000}, transfer.LeftOut{Name: "files/f4", Reason: "2000 bytes of 2000 are used"}, 0, 0},
	} {
		onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
			store, done := open(t)
			defer done()
			r := importAll(t, agent(t, store, "a", workspace.Options{Limits: c.limits}), dir)
			if len(r.LeftOut) == 0 || r.LeftOut[0].Name != c.first.Name || !strings.HasPrefix(r.LeftOut[0].Reason, c.first.Reason) || c.left > 0 && len(r.LeftOut) != c.left {
				t.Errorf("%+v: left out %+v, want %d with %+v", c.limits, r.LeftOut, c.left, c.first)
			}
			ws := agent(t, store, "a", workspace.Options{})
			if some := len(state(t, ws, true)); c.in > 0 && some != c.in {
				t.Errorf("%+v: %d were imported, want %d", c.limits, some, c.in)
			}
			importAll(t, ws, dir)
			if got, want := state(t, ws, true), state(t, from, true); !slices.Equal(got, want) {
				t.Errorf("%+v: without the limit there are %q", c.limits, got)
			}
		})
	}
}

// A path that was deleted for good keeps its numbers, so the export's history does not come back.
// A dry run says so too.
func TestImportOverDeletedPath(t *testing.T) {
	from, to := memory(t, workspace.Options{}), memory(t, workspace.Options{})
	for _, text := range []string{"one", "two", "three"} {
		write(t, from, "f", text)
	}
	write(t, to, "f", "other")
	testkit.Must(t, testkit.Err(to.DeleteFile(t.Context(), "f", workspace.DeleteOptions{ForGood: true})))
	dir := exported(t, from, true)
	dry := importWith(t, to, dir, transfer.ImportOptions{DryRun: true})
	r := importAll(t, to, dir)
	want := transfer.Change{Path: "f", Kind: "file", New: true, Versions: 1}
	if len(dry.Changes) != 1 || dry.Changes[0] != want {
		t.Errorf("the dry run would do %+v, want %+v", dry.Changes, want)
	}
	if want.Version = 2; len(r.Changes) != 1 || r.Changes[0] != want {
		t.Errorf("the import did %+v, want %+v", r.Changes, want)
	}
}

// Of a log, the entries that are too large are left out, and those behind them are not,
// also if a line is too long to be read. An old version that is too large is left out with
// the versions before.
func TestImportTooLargeInside(t *testing.T) {
	from := memory(t, workspace.Options{})
	for i, size := range []int{1, 50, 2, 9000, 3, 200_000, 4} {
		text := strings.Repeat(fmt.Sprint(i), size)
		appendLog(t, from, "log", text[:min(len(text), 60_000)])
		write(t, from, "file", text)
	}
	write(t, from, "file", "now")
	dir := exported(t, from, true)
	to := memory(t, workspace.Options{Limits: workspace.Limits{EntryBytes: 45, FileBytes: 45}})
	dry := importWith(t, to, dir, transfer.ImportOptions{DryRun: true})
	r := importAll(t, to, dir)
	var left []string
	for _, l := range r.LeftOut {
		left = append(left, l.Name)
	}
	want := []string{"versions/file/%v6", "logs/log.jsonl, line 2", "logs/log.jsonl, line 4", "logs/log.jsonl, line 6"}
	if !slices.Equal(left, want) || len(dry.LeftOut) != len(want) {
		t.Errorf("left out %+v, and in a dry run %+v, want %q", r.LeftOut, dry.LeftOut, want)
	}
	if len(dry.Changes) != 2 || dry.Changes[0].Versions != 2 || dry.Changes[1].Entries != 4 || len(r.Changes) != 2 || r.Changes[1].Entries != 4 {
		t.Errorf("the import did %+v, and would do %+v", r.Changes, dry.Changes)
	}
	var got []string
	for _, line := range state(t, to, true) {
		got = append(got, line[strings.LastIndex(line, " ")+1:])
	}
	if want := []string{`"6666"`, `"now"`, `"0"`, `"22"`, `"444"`, `"6666"`}; !slices.Equal(got, want) {
		t.Errorf("the agent has %q, want %q", got, want)
	}
	if again := importAll(t, to, dir); len(again.Changes) > 0 {
		t.Errorf("the second import did %+v", again.Changes)
	}
}

// A store that takes no other agent takes nothing, so the import ends with that error.
func TestImportIntoFullStore(t *testing.T) {
	from := memory(t, workspace.Options{})
	write(t, from, "f", "x")
	dir := exported(t, from, false)
	store := memstore.New()
	defer store.Close()
	o := workspace.Options{Store: workspace.StoreLimits{Agents: 1}}
	write(t, agent(t, store, "first", o), "f", "x")
	r, err := transfer.Import(t.Context(), agent(t, store, "second", o), dir, transfer.ImportOptions{})
	if !isKind(err, workspace.ErrQuota) || len(r.LeftOut) > 0 {
		t.Errorf("Import = %+v, %v, want the error of the store", r, err)
	}
}

// A folder with an export that was interrupted, and one that is not empty, are refused.
func TestExportRefuses(t *testing.T) {
	ws := memory(t, workspace.Options{})
	write(t, ws, "a", "x")
	dir := t.TempDir()
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600))
	_, err := transfer.Export(t.Context(), ws, dir, transfer.ExportOptions{})
	if !isKind(err, workspace.ErrConflict) || !strings.Contains(err.Error(), "give a new or an empty folder") {
		t.Errorf("into a folder that is not empty: %v", err)
	}
	testkit.Must(t, os.Rename(filepath.Join(dir, "mine"), filepath.Join(dir, "manifest.json.unfinished")))
	_, err = transfer.Export(t.Context(), ws, dir, transfer.ExportOptions{})
	if !isKind(err, workspace.ErrConflict) || !strings.Contains(err.Error(), "was interrupted; give a new folder") {
		t.Errorf("into an interrupted export: %v", err)
	}
	if _, err = transfer.Import(t.Context(), ws, dir, transfer.ImportOptions{}); !isKind(err, workspace.ErrConflict) {
		t.Errorf("import of an interrupted export: %v", err)
	}
	if _, err := transfer.Export(t.Context(), ws, filepath.Join(dir, "manifest.json.unfinished"), transfer.ExportOptions{}); err == nil {
		t.Error("an export into a file had no error")
	}
}
