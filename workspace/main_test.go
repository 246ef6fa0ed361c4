package workspace_test

import (
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// TestMain keeps the random tests short unless they are asked to be long.
func TestMain(m *testing.M) {
	flag.Parse()
	wanted := map[string]string{"rapid.checks": "80", "rapid.steps": "100"}
	if long() {
		wanted["rapid.checks"] = "1500"
	}
	flag.Visit(func(f *flag.Flag) { delete(wanted, f.Name) })
	for name, value := range wanted {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// long reports whether the long proofs are to run.
func long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }

// scaleChecks makes a test run its random cases more or less often than others.
func scaleChecks(t *testing.T, times, by int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	n, err := strconv.Atoi(before)
	if err == nil {
		err = flag.Set(f.Name, strconv.Itoa(max(1, n*times/by)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { flag.Set(f.Name, before) })
}

// A fakeClock stands still but for what the test does. It is safe for
// concurrent use.
type fakeClock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func newClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 11, 21, 4, 50, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { svc.Close(t.Context()) })
	return svc
}

func agentOf(t testing.TB, svc *workspace.Service, name string) *workspace.Workspace {
	t.Helper()
	ws, err := svc.Agent(name)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func read(t testing.TB, ws *workspace.Workspace, path string, o workspace.ReadOptions) workspace.ReadResult {
	t.Helper()
	r, err := ws.ReadFile(t.Context(), path, o)
	if err != nil {
		t.Fatalf("ReadFile(%q, %+v) = %v", path, o, err)
	}
	return r
}

func appendLog(t testing.TB, ws *workspace.Workspace, path string, entries ...string) workspace.AppendResult {
	t.Helper()
	r, err := ws.AppendLog(t.Context(), path, asBytes(entries)...)
	if err != nil {
		t.Fatalf("AppendLog(%q) = %v", path, err)
	}
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
	if err != nil {
		t.Fatalf("Usage = %v", err)
	}
	return u.Usage
}

func ptr(n int64) *int64 { return &n }

// kinds are all the kinds of error, for telling that an error has just one.
var kinds = []error{
	workspace.ErrNotFound, workspace.ErrInvalid, workspace.ErrTooLarge, workspace.ErrQuota, workspace.ErrConflict,
	workspace.ErrCorrupt, workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown,
	workspace.ErrReadOnly, workspace.ErrUnsupported, workspace.ErrClosed,
}

// hasKind tells what is wrong with an error that should be of a kind (nil: no
// error), and of no other, and short; "" if nothing is.
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
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%s: error is %q, want it to say %q", what, err, s)
		}
	}
}
