package workspace_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 4, Long: 60, Full: 1500, Short: 15, Steps: 100}.Set() // in -short rapid draws a fifth
	goleak.VerifyTestMain(m)
}

// newService returns a service on a store in memory, and the store.
func newService(t testing.TB, o workspace.Options) (*workspace.Service, workspace.Store) {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { store.Close() })
	return serviceOn(t, store, o), store
}

func serviceOn(t testing.TB, store workspace.Store, o workspace.Options) *workspace.Service {
	t.Helper()
	svc, err := workspace.New(store, o)
	testkit.Must(t, err)
	t.Cleanup(func() { svc.Close(t.Context()) })
	return svc
}

func agentOf(t testing.TB, svc *workspace.Service, name string) *workspace.Workspace {
	t.Helper()
	ws, err := svc.Agent(name)
	testkit.Must(t, err)
	return ws
}

func read(t testing.TB, ws *workspace.Workspace, path string, o workspace.ReadOptions) workspace.ReadResult {
	t.Helper()
	r, err := ws.ReadFile(t.Context(), path, o)
	testkit.Must(t, err)
	return r
}

func appendLog(t testing.TB, ws *workspace.Workspace, path string, entries ...string) workspace.AppendResult {
	t.Helper()
	r, err := ws.AppendLog(t.Context(), path, asBytes(entries)...)
	testkit.Must(t, err)
	return r
}

func asBytes(texts []string) [][]byte {
	list := make([][]byte, len(texts))
	for i, text := range texts {
		list[i] = []byte(text)
	}
	return list
}

func usage(t testing.TB, ws *workspace.Workspace) workspace.Usage {
	t.Helper()
	u, err := ws.Usage(t.Context())
	testkit.Must(t, err)
	return u.Usage
}

func ptr(n int64) *int64 { return &n }

// kinds are all kinds of error except ErrProvider.
var kinds = []error{
	workspace.ErrNotFound, workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota, workspace.ErrConflict,
	workspace.ErrCorrupt, workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown,
	workspace.ErrReadOnly, workspace.ErrUnsupported, workspace.ErrClosed,
}

// hasKind says what is wrong with an error that should be short, and of one kind alone
// (nil: no error). It returns "" if nothing is wrong.
func hasKind(err, kind error) string {
	if kind == nil || err == nil {
		if err != kind {
			return "error is " + text(err) + ", want " + text(kind)
		}
		return ""
	}
	for _, k := range kinds {
		if errors.Is(err, k) != (k == kind) {
			return "error is " + text(err) + ", want one of the kind " + text(kind) + " alone"
		}
	}
	if len(err.Error()) > 400 || o200k.Count(err.Error()) > 200 {
		return "error is longer than 400 bytes or 200 tokens: " + text(err)
	}
	return ""
}

func text(err error) string {
	if err == nil {
		return "nil"
	}
	return err.Error()
}

// wantErr checks the kind of an error and what its text says.
func wantErr(t testing.TB, what string, err, kind error, says ...string) {
	t.Helper()
	if wrong := hasKind(err, kind); wrong != "" {
		t.Errorf("%s: %s", what, wrong)
		return
	}
	var e *workspace.Error
	if err != nil && (!errors.As(err, &e) || e.Kind != kind) {
		t.Errorf("%s: error is %q, want an Error whose Kind is %v", what, err, kind)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%s: error is %q, want it to say %q", what, err, s)
		}
	}
}

// arranged runs a test on a store in memory and on SQLite. The database has no problems
// after it.
func arranged(t *testing.T, test func(*testing.T, workspace.Store)) {
	t.Run("memstore", func(t *testing.T) {
		store := memstore.New()
		defer store.Close()
		test(t, store)
	})
	t.Run("sqlite", func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{})
		testkit.Must(t, err)
		defer store.Close()
		test(t, store)
		if report, err := store.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
			t.Errorf("Verify = %q, %v, want no problems", report.Problems, err)
		}
	})
}

// journalOf returns what the journal of an agent says after a revision, without authors
// and times.
func journalOf(t testing.TB, store workspace.Store, agent string, after int64) (rows []workspace.Change) {
	t.Helper()
	err := store.View(t.Context(), port.Owner{Tenant: "local", Agent: agent}, func(r port.Reader) (err error) {
		rows, err = r.Changes(after, 1000)
		return err
	})
	testkit.Must(t, err)
	for i := range rows {
		rows[i].Author, rows[i].Time = workspace.Author{}, time.Time{}
	}
	return rows
}

// checkRow checks the last row of the journal of agent a, which has the revision n.
func checkRow(t testing.TB, store workspace.Store, n int64, want workspace.Change) {
	t.Helper()
	rows := journalOf(t, store, "a", n-1)
	if len(rows) != 1 {
		t.Fatalf("the journal has %d rows after revision %d, want one: %+v", len(rows), n-1, rows)
	}
	want.Revision = n
	if rows[0] != want {
		t.Errorf("the journal says %+v, want %+v", rows[0], want)
	}
}
