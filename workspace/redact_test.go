package workspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func redact(t testing.TB, ws *workspace.Workspace, path string, version int64) workspace.VersionInfo {
	t.Helper()
	v, err := ws.RedactVersion(t.Context(), path, version, workspace.RedactOptions{})
	testkit.Must(t, err)
	return v
}

func history(t testing.TB, ws *workspace.Workspace, path string) []workspace.VersionInfo {
	t.Helper()
	h, err := ws.History(t.Context(), path)
	testkit.Must(t, err)
	return h
}

// verifyOwner checks all rows of an agent.
func verifyOwner(t testing.TB, store workspace.Store, agent string) {
	t.Helper()
	r, err := dump.Check(t.Context(), store, port.Owner{Tenant: "local", Agent: agent})
	if err != nil || r.Problems != nil || r.Rows == 0 {
		t.Errorf("the rows of %s: %q, %v", agent, r.Problems, err)
	}
}

// A redacted version keeps its number, author and time. It is as empty in every count, and
// the receipt stays the first one.
func TestRedactVersion(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		clock := testkit.NewClock()
		ws := agentOf(t, serviceOn(t, store, workspace.Options{Now: clock.Now}), "a")
		write(t, ws, "f", "one")
		write(t, ws, "f", "the secret")
		write(t, ws, "f", "three")
		before := history(t, ws, "f")
		clock.Advance(time.Hour)
		got := redact(t, ws.As(workspace.Author{Client: "cleaner", Key: "k", Session: "s"}), "f", 2)
		want := before[1]
		want.Bytes, want.SHA256 = 0, [32]byte{}
		want.Redacted = &workspace.Redaction{Time: clock.Now(), Author: workspace.Author{Client: "cleaner", Key: "k"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("RedactVersion (-want +got):\n%s", diff)
		}
		checkRow(t, store, 4, workspace.Change{Op: workspace.OpRedact, Kind: workspace.KindFile, Path: "f", Before: 2, After: 3})
		before[1] = want
		if diff := cmp.Diff(before, history(t, ws, "f")); diff != "" {
			t.Errorf("History (-want +got):\n%s", diff)
		}
		u := usage(t, ws)
		if u.Files != 1 || u.Bytes != 8 {
			t.Errorf("the usage is %+v, want one file and 8 bytes", u)
		}
		clock.Advance(time.Hour)
		again, err := ws.RedactVersion(t.Context(), "f", 2, workspace.RedactOptions{Created: clock.Now().Add(-2 * time.Hour)})
		if diff := cmp.Diff(want, again); diff != "" || err != nil {
			t.Errorf("the second RedactVersion: %v (-want +got):\n%s", err, diff)
		}
		if log := changes(t, ws, since(4)); log.Cursor != 4 {
			t.Errorf("the second RedactVersion added a row to the journal: %+v", log)
		}
		verifyOwner(t, store, "a")
	})
}

func TestRedactRefused(t *testing.T) {
	clock := testkit.NewClock()
	svc, store := newService(t, workspace.Options{Now: clock.Now, Limits: workspace.Limits{Versions: 3}})
	ws := agentOf(t, svc, "a")
	created := clock.Now()
	for range 5 {
		write(t, ws, "f", "x")
	}
	write(t, ws, "gone", "x")
	write(t, ws, "gone", "y")
	remove(t, ws, "gone")
	cursor := changes(t, ws, since(0)).Cursor
	for _, c := range []struct {
		path    string
		version int64
		created time.Time
		kind    error
		text    string
	}{
		{"f", 5, time.Time{}, workspace.ErrConflict, "redact f: version 5 is the current one; write a new version first, then redact version 5"},
		{"f", 6, time.Time{}, workspace.ErrNotFound, "redact f: version 6 is not kept, versions 3 to 5 are"},
		{"f", 2, time.Time{}, workspace.ErrNotFound, "redact f: version 2 is not kept, versions 3 to 5 are"},
		{"f", 4, created.Add(time.Microsecond), workspace.ErrNotFound, "redact f: "},
		{"f", 0, time.Time{}, workspace.ErrInvalid, "Version is 0, the least is 1"},
		{"gone", 1, time.Time{}, workspace.ErrNotFound, "redact gone: "},
		{"never", 1, time.Time{}, workspace.ErrNotFound, "redact never: "},
		{"../f", 1, time.Time{}, workspace.ErrInvalid, ".."},
	} {
		_, err := ws.RedactVersion(t.Context(), c.path, c.version, workspace.RedactOptions{Created: c.created})
		wantErr(t, fmt.Sprintf("RedactVersion(%q, %d)", c.path, c.version), err, c.kind, c.text)
	}
	if now := changes(t, ws, since(0)).Cursor; now != cursor {
		t.Errorf("refused redactions took the journal from %d to %d", cursor, now)
	}
	verifyOwner(t, store, "a")
}

// Nothing that an agent has is left in a redacted version, and whoever asks for it is told.
func TestNothingGivesARedactedVersion(t *testing.T) {
	clock := testkit.NewClock()
	svc, store := newService(t, workspace.Options{Now: clock.Now})
	ws := agentOf(t, svc, "a")
	lines := strings.Repeat("a line that stays as it is\n", 30)
	write(t, ws, "f", lines+"one\n")
	write(t, ws, "f", lines+"the secret\n")
	write(t, ws, "f", lines+"three\n")
	redact(t, ws, "f", 2)
	told := "version 2 was redacted at " + clock.Now().Format(time.RFC3339) + ", its content is gone for good"
	for _, o := range []workspace.ReadOptions{{Version: 2}, {Version: 2, FromLine: 1}, {Version: 2, MaxTokens: 5}} {
		_, err := ws.ReadFile(t.Context(), "f", o)
		wantErr(t, "ReadFile of a redacted version", err, workspace.ErrNotFound, "read f: "+told)
	}
	_, err := ws.RestoreFile(t.Context(), "f", workspace.RestoreOptions{Version: 2})
	wantErr(t, "RestoreFile of a redacted version", err, workspace.ErrNotFound, "restore f: "+told)
	if r := read(t, ws, "f", workspace.ReadOptions{Since: 2}); !r.VersionTooOld || string(r.Content) != lines+"three\n" || r.Diff != nil {
		t.Errorf("ReadFile since a redacted version = %+v, want the whole file, and VersionTooOld", r)
	}
	if r := read(t, ws, "f", workspace.ReadOptions{Since: 1}); r.VersionTooOld || r.Diff == nil {
		t.Errorf("ReadFile since a version before the redacted one = %+v, want a diff", r)
	}
	testkit.Must(t, testkit.Err(ws.MoveFile(t.Context(), "f", "g", workspace.MoveOptions{})))
	if h := history(t, ws, "g"); len(h) != 4 || h[1].Redacted == nil {
		t.Errorf("the history after a move is %+v, want version 2 redacted", h)
	}
	verifyOwner(t, store, "a")
}

// A reader of the journal learns of a redaction. It does not hide what was written beside
// it, and it says no wrong version.
func TestChangesOfRedaction(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	other := ws.As(workspace.Author{Client: "other"})
	for range 3 {
		write(t, ws, "f", "x\n")
		write(t, ws, "g", "x\n")
	}
	redact(t, other, "f", 2) // 7
	redact(t, other, "f", 1)
	write(t, ws, "g", "y\n")
	redact(t, other, "g", 3) // 10
	rows := func(o workspace.ChangesOptions) (all []string) {
		o.Diffs = true
		c := changes(t, ws, o)
		for _, p := range c.Paths {
			all = append(all, fmt.Sprint(p.Op, " ", p.Path, " ", p.Before, " ", p.After, " ", p.Author.Client))
		}
		return append(all, fmt.Sprint(len(c.Diffs), " diffs, omitted ", c.Omitted))
	}
	for _, c := range []struct {
		what string
		o    workspace.ChangesOptions
		want []string
	}{
		{"two redactions", workspace.ChangesOptions{Since: 6, Prefix: "f"}, []string{"redact f 3 3 other", "0 diffs, omitted 0"}},
		{"one redaction", workspace.ChangesOptions{Since: 9}, []string{"redact g 4 4 other", "0 diffs, omitted 0"}},
		{"a write and a redaction of what the reader had", workspace.ChangesOptions{Since: 8}, []string{"edit g 3 4 ", "1 diffs, omitted 0"}},
		{"everything", workspace.ChangesOptions{}, []string{"create f 0 3 ", "create g 0 4 ", "2 diffs, omitted 0"}},
		{"the newest", workspace.ChangesOptions{Recent: true}, []string{"edit g 0 4 ", "edit f 0 3 ", "2 diffs, omitted 0"}},
		{"of others", workspace.ChangesOptions{Since: 6, Except: new(ws.Author())}, []string{"redact f 3 3 other", "redact g 4 4 other", "0 diffs, omitted 0"}},
		{"of all but the redactor", workspace.ChangesOptions{Since: 6, Except: &workspace.Author{Client: "other"}}, []string{"edit g 3 4 ", "1 diffs, omitted 0"}},
	} {
		if diff := cmp.Diff(c.want, rows(c.o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
	log, err := ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{Prefix: "f", Limit: 2})
	if err != nil || len(log.Changes) != 2 || log.Changes[0].Op != workspace.OpRedact || log.Changes[0].Before != 1 || log.Changes[0].After != 3 {
		t.Errorf("ChangeLog = %+v, %v, want the redaction of version 1 first", log, err)
	}
}

// A redaction is refused neither for a quota nor because the store is full, and it frees
// what the content took.
func TestRedactWhenFull(t *testing.T) {
	store := newStore(t)
	ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, ws, "f", strings.Repeat("x", 3000))
	write(t, ws, "f", "") // redacting an empty version frees nothing
	write(t, ws, "f", "z")
	for name, o := range map[string]workspace.Options{
		"quota": {Limits: workspace.Limits{Bytes: 100, Files: 1}}, "store": {Store: workspace.StoreLimits{Bytes: 1}},
	} {
		full := agentOf(t, serviceOn(t, store, o), "a")
		if _, err := full.WriteFile(t.Context(), "g", []byte("x"), workspace.WriteOptions{}); err == nil {
			t.Fatalf("%s: a write has room, so the test shows nothing", name)
		}
		redact(t, full, "f", map[string]int64{"quota": 2, "store": 1}[name])
	}
	if u := usage(t, ws); u.Bytes != 1 {
		t.Errorf("the usage is %d bytes, want 1", u.Bytes)
	}
}

// An import keeps the receipt of a redacted version, and takes none for the current one.
func TestImportRedacted(t *testing.T) {
	clock := testkit.NewClock()
	svc, store := newService(t, workspace.Options{Now: clock.Now})
	ws := agentOf(t, svc, "a")
	at := clock.Now().Add(-time.Hour)
	r := &workspace.Redaction{Time: at.Add(time.Minute + 3).In(time.FixedZone("x", 3600)), Author: workspace.Author{Client: "c\x00", Session: "s"}}
	versions := []workspace.Version{
		{Number: 1, Time: at, Content: []byte("one")},
		{Number: 2, Time: at, Author: workspace.Author{Client: "w"}, Redacted: r, Content: []byte("left behind"), Size: 11},
		{Number: 3, Time: at, Content: []byte("three")},
	}
	testkit.Must(t, testkit.Err(ws.ImportFile(t.Context(), "f", versions)))
	want := workspace.VersionInfo{Version: 2, Author: workspace.Author{Client: "w"}, Time: at, Created: at,
		Redacted: &workspace.Redaction{Time: at.Add(time.Minute), Author: workspace.Author{Client: "c\ufffd"}}}
	if diff := cmp.Diff(want, history(t, ws, "f")[1]); diff != "" {
		t.Errorf("the imported version (-want +got):\n%s", diff)
	}
	_, err := ws.ImportFile(t.Context(), "g", versions[:2])
	wantErr(t, "ImportFile of a current version that is redacted", err, workspace.ErrInvalid, "import g: version 2 is redacted, and cannot be the current one")
	verifyOwner(t, store, "a")
}
