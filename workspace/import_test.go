package workspace_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// imports are versions from a number on, an hour apart, that end before the clock of
// testkit.
func imports(from, n int64) (versions []workspace.Version) {
	for i := range n {
		versions = append(versions, workspace.Version{Number: from + i, Author: workspace.Author{Client: fmt.Sprint("c", i)},
			Time: testkit.Start.Add(time.Duration(i-n) * time.Hour), Content: fmt.Append(nil, "content ", from+i)})
	}
	return versions
}

func importFile(t testing.TB, ws *workspace.Workspace, path string, versions []workspace.Version) workspace.WriteResult {
	t.Helper()
	r, err := ws.ImportFile(t.Context(), path, versions)
	testkit.Must(t, err)
	return r
}

// An imported history has its numbers, authors and times, and counts like one that was
// written.
func TestImportFile(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Now: testkit.NewClock().Now})
	want := imports(7, 3)
	if r := importFile(t, ws, "f", want); r.Version != 9 || r.Bytes != 9 {
		t.Errorf("ImportFile = %+v, want version 9", r)
	}
	if u := usage(t, ws); u.Operations != 2 { // with the call of Usage
		t.Errorf("importing three versions counts as %d operations", u.Operations-1)
	}
	history, err := ws.History(t.Context(), "f")
	testkit.Must(t, err)
	for i, h := range history {
		w := want[i]
		if h.Version != w.Number || h.Author != w.Author || !h.Time.Equal(w.Time) {
			t.Errorf("version %+v, want %+v", h, w)
		}
		if got := read(t, ws, "f", workspace.ReadOptions{Version: w.Number}); string(got.Content) != string(w.Content) {
			t.Errorf("version %d is %q", w.Number, got.Content)
		}
	}
	if u := usage(t, ws); len(history) != 3 || u.Files != 1 || u.Bytes != 9+9+9 {
		t.Errorf("%d versions, usage %+v", len(history), u)
	}
	if write(t, ws, "f", "next"); read(t, ws, "f", workspace.ReadOptions{}).Current != 10 {
		t.Error("the next version is not 10")
	}
	_, err = ws.ImportFile(t.Context(), "f", want)
	wantErr(t, "import over a file", err, workspace.ErrConflict, "was a file before, up to version 10")
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{})))
	_, err = ws.ImportFile(t.Context(), "f", imports(20, 1))
	wantErr(t, "import over a deleted file", err, workspace.ErrConflict)
}

// Numbers that the agent may have given before are not given again.
func TestImportAboveFloor(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Now: testkit.NewClock().Now})
	ws := agentOf(t, svc, "a")
	for range 5 {
		write(t, ws, "old", "x")
		appendLog(t, ws, "old", "x")
	}
	_, err := svc.DeleteAgent(t.Context(), "a")
	testkit.Must(t, err)
	for _, c := range []struct{ from, want int64 }{{1, 7}, {5, 7}, {6, 7}, {8, 9}} {
		path := fmt.Sprint("f", c.from)
		if r := importFile(t, ws, path, imports(c.from, 2)); r.Version != c.want {
			t.Errorf("versions %d and on become %d, want %d", c.from, r.Version, c.want)
		}
		r, err := ws.ImportLog(t.Context(), path, 0, entriesFrom(c.from, "a", "b"))
		if err != nil || r.Last != c.want {
			t.Errorf("entries %d and on become %d, want %d: %v", c.from, r.Last, c.want, err)
		}
	}
}

func entriesFrom(id int64, texts ...string) (entries []workspace.Entry) {
	for i, text := range texts {
		entries = append(entries, workspace.Entry{ID: id + int64(i), Author: workspace.Author{Client: text}, Time: testkit.Start.Add(time.Duration(i) * time.Second), Content: []byte(text)})
	}
	return entries
}

// Imported entries have their authors, and times that do not go back.
func TestImportLog(t *testing.T) {
	clock := testkit.ClockAt(testkit.Start.Add(time.Hour))
	ws := newWorkspace(t, workspace.Options{Now: clock.Now})
	_, err := ws.ImportLog(t.Context(), "l", 0, entriesFrom(4, "a", "b"))
	testkit.Must(t, err)
	appendLog(t, ws, "l", "now")
	_, err = ws.ImportLog(t.Context(), "l", 5, entriesFrom(1, "late"))
	wantErr(t, "behind another entry", err, workspace.ErrConflict, "is not 5 any more")
	testkit.Must(t, testkit.Err(ws.ImportLog(t.Context(), "l", 6, entriesFrom(1, "late"))))
	var got string
	for _, e := range readLog(t, ws, "l", workspace.ReadLogOptions{}).Entries {
		got += fmt.Sprintf("%d %s %s %s\n", e.ID, e.Time.Sub(testkit.Start), e.Author.Client, e.Content)
	}
	if want := "4 0s a a\n5 1s b b\n6 1h0m0s  now\n7 1h0m0s late late\n"; got != want {
		t.Errorf("the log is\n%swant\n%s", got, want)
	}
	if u := usage(t, ws); u.Logs != 1 || u.Entries != 4 {
		t.Errorf("usage %+v", u)
	}
}

// An import is stored whole or not at all, and what it must not bring is refused.
func TestImportRefuses(t *testing.T) {
	limits := workspace.Limits{FileBytes: 30, Versions: 3, Bytes: 1200, EntryBytes: 5, Entries: 2}
	ws := newWorkspace(t, workspace.Options{Now: testkit.NewClock().Now, Limits: limits})
	if r := importFile(t, ws, "five", imports(1, 5)); r.Version != 5 {
		t.Errorf("the newest of 5 versions is %d", r.Version)
	}
	if h, err := ws.History(t.Context(), "five"); err != nil || len(h) != 3 || h[0].Version != 3 {
		t.Errorf("with a limit of 3 versions there are %+v, %v", h, err)
	}
	before := usage(t, ws)
	gap, late, long, far := imports(1, 2), imports(1, 1), imports(1, 1), imports(1<<40, 2)
	gap[1].Number--
	late[0].Time = testkit.Start.Add(time.Hour)
	long[0].Content = make([]byte, 31)
	for _, c := range []struct {
		versions []workspace.Version
		kind     error
		says     string
	}{
		{nil, workspace.ErrInvalid, "no version"},
		{gap, workspace.ErrInvalid, "number 1 follows 1; the numbers must be ascending"},
		{late, workspace.ErrInvalid, "in the future"},
		{far, workspace.ErrInvalid, "2^40"},
		{imports(0, 1), workspace.ErrInvalid, "2^40"},
		{long, workspace.ErrTooLarge, "31 bytes, limit 30"},
		{imports(1, 3), workspace.ErrQuota, "bytes of 1200"},
	} {
		_, err := ws.ImportFile(t.Context(), "f", c.versions)
		wantErr(t, fmt.Sprintf("%d versions", len(c.versions)), err, c.kind, c.says)
	}
	_, err := ws.ImportLog(t.Context(), "l", 0, entriesFrom(1, "a", "b", "c"))
	wantErr(t, "three entries", err, workspace.ErrQuota, "entry limit")
	_, err = ws.ImportLog(t.Context(), "l", 0, entriesFrom(1, "a", "longer"))
	wantErr(t, "a long entry", err, workspace.ErrTooLarge, "entry 2")
	if after := usage(t, ws); after.Bytes != before.Bytes || after.Files != 1 || after.Logs != 0 {
		t.Errorf("after what was refused the usage is %+v, before %+v", after, before)
	}
}

// All who ask get the same id, and another database has another.
func TestDatabaseID(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	other, _ := newService(t, workspace.Options{})
	id, err := svc.DatabaseID(t.Context())
	if again, _ := svc.DatabaseID(t.Context()); err != nil || len(id) != 26 || again != id {
		t.Errorf("DatabaseID = %q, then %q: %v", id, again, err)
	}
	if of, _ := other.DatabaseID(t.Context()); of == id {
		t.Errorf("two databases have the id %q", of)
	}
}

// No time is stored that JSON cannot hold: every list with it would fail.
func TestImportRefusesYears(t *testing.T) {
	far := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -(23*60+59)*60)) // 10000 in UTC
	old := time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", 23*60*60))               // -1 in UTC
	ws := newWorkspace(t, workspace.Options{Now: testkit.NewClock().Now})
	soon := testkit.Start.Add(time.Hour)
	redacted := imports(1, 2)
	redacted[0].Redacted = &workspace.Redaction{Time: old}
	early := imports(1, 1)
	early[0].Time = old
	for name, c := range map[string]struct {
		versions []workspace.Version
		d        workspace.Deletion
	}{
		"until":     {imports(1, 1), workspace.Deletion{Until: far}},
		"deletion":  {imports(1, 1), workspace.Deletion{Until: soon, Time: old}},
		"redaction": {redacted, workspace.Deletion{Until: soon}},
		"version":   {early, workspace.Deletion{Until: soon}},
	} {
		_, err := ws.ImportDeleted(t.Context(), "f", c.versions, c.d)
		wantErr(t, name, err, workspace.ErrInvalid, "is not one of 1 to 9999")
	}
	_, err := ws.ImportLog(t.Context(), "l", 0, []workspace.Entry{{ID: 1, Time: old, Content: []byte("x")}})
	wantErr(t, "entry", err, workspace.ErrInvalid, "is not one of 1 to 9999")
	testkit.Must(t, testkit.Err(ws.ImportDeleted(t.Context(), "f", imports(1, 1), workspace.Deletion{Until: soon})))
}
