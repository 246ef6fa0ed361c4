package sqlite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	quotaProcesses = 4
	quotaWriters   = 16 // goroutines in each process
	quotaSize      = 500
	quotaVersions  = 4

	fileBytes  = quotaSize + store.PathCharge + store.VersionCharge // that a file of one version counts
	entryBytes = quotaSize + store.EntryCharge
)

// A quotaPlan is a limit, and a kind of write of which an exact number fits into it.
type quotaPlan struct {
	Limits workspace.Limits
	Do     string // file: a new file; log: an entry of the one log; logs: a new log; version: a version of one of 8 files
	Entry  int    // entries in one append
}

func (p quotaPlan) write(ws *workspace.Workspace, name string, n int) error {
	var err error
	content := bytes.Repeat([]byte("q"), quotaSize)
	switch p.Do {
	case "file":
		_, err = ws.WriteFile(context.Background(), fmt.Sprintf("%s-%d", name, n), content, workspace.WriteOptions{})
	case "version":
		_, err = ws.WriteFile(context.Background(), fmt.Sprintf("file-%d", n%8), content, workspace.WriteOptions{})
	default:
		path := "log"
		if p.Do == "logs" {
			path = fmt.Sprintf("%s-%d", name, n)
		}
		entries := make([][]byte, p.Entry)
		for i := range entries {
			entries[i] = content
		}
		_, err = ws.AppendLog(context.Background(), path, entries...)
	}
	return err
}

// fill writes with 16 goroutines until each has been refused three times. It returns
// how many writes were stored.
func (p quotaPlan) fill(ws *workspace.Workspace, name string) (stored int, err error) {
	var mu sync.Mutex // guards stored and err
	var wg sync.WaitGroup
	for g := range quotaWriters {
		wg.Go(func() {
			for n, refused := 0, 0; refused < 3; n++ {
				e := p.write(ws, fmt.Sprintf("%s-%d", name, g), n)
				mu.Lock()
				switch {
				case e == nil:
					stored++
				case errors.Is(e, store.ErrQuota):
					refused++
				default:
					refused = 3
					err = errors.Join(err, e)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return stored, err
}

// "quota DB PLAN PROCESS": at a line, fills the agent and tells how much was stored.
var _ = register("quota", func(args []string) error {
	var p quotaPlan
	if err := json.Unmarshal([]byte(args[1]), &p); err != nil {
		return err
	}
	store, svc, err := openService(args[0], p.Limits)
	if err != nil {
		return err
	}
	ws, err := svc.Agent("quota")
	if err != nil {
		return err
	}
	tell("ready")
	<-hear()
	stored, err := p.fill(ws, args[2])
	if err == nil {
		tell("%d", stored)
	}
	return errors.Join(err, store.Close())
})

// Whoever writes, exactly as much is stored as fits: the limit is never exceeded, and
// nothing that fits is refused.
func TestQuota(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	fits := testkit.Pick(60, 400, 4000)
	const high = 1 << 40
	n := int64(fits)
	for name, p := range map[string]quotaPlan{
		"bytes": {Do: "file", Limits: workspace.Limits{Bytes: n * fileBytes, Files: high}},
		// One byte less than for one more.
		"bytes with a rest":  {Do: "file", Limits: workspace.Limits{Bytes: (n+1)*fileBytes - 1, Files: high}},
		"bytes of a log":     {Do: "log", Entry: 3, Limits: workspace.Limits{Bytes: store.PathCharge + n*3*entryBytes, Entries: high}},
		"files":              {Do: "file", Limits: workspace.Limits{Files: n, Bytes: high}},
		"logs":               {Do: "logs", Entry: 1, Limits: workspace.Limits{Logs: n, Entries: high, Bytes: high}},
		"entries":            {Do: "log", Entry: 1, Limits: workspace.Limits{Entries: n, Bytes: high}},
		"entries in batches": {Do: "log", Entry: 3, Limits: workspace.Limits{Entries: 3*n + 2, Bytes: high}},
	} {
		if testkit.Long() || p.Entry == 3 || name == "files" {
			t.Run(name, func(t *testing.T) { testQuota(t, p, fits) })
		}
	}
}

// At the limit, a file with all its versions can still be written: it loses as much as
// it gains. Nothing else can be written.
func TestQuotaOverwrite(t *testing.T) {
	t.Parallel()
	p := quotaPlan{Do: "version", Limits: workspace.Limits{Bytes: 1 << 40, Versions: quotaVersions}}
	db := open(t, filepath.Join(t.TempDir(), "quota.db"))
	ws := quotaAgent(t, db, p.Limits)
	for n := range 8 * quotaVersions {
		testkit.Must(t, p.write(ws, "", n))
	}
	// From here the agent is at its limit.
	content := int64(8 * quotaVersions * quotaSize)
	p.Limits.Bytes = content + 8*(store.PathCharge+quotaVersions*store.VersionCharge)
	ws = quotaAgent(t, db, p.Limits)
	for n := range 16 {
		testkit.Must(t, p.write(ws, "", n))
	}
	if err := (quotaPlan{Do: "file"}).write(ws, "new", 0); !errors.Is(err, store.ErrQuota) {
		t.Errorf("a new file: %v, expected ErrQuota", err)
	}
	if _, err := ws.WriteFile(t.Context(), "file-0", bytes.Repeat([]byte("q"), quotaSize+1), workspace.WriteOptions{}); !errors.Is(err, store.ErrQuota) {
		t.Errorf("a write of one byte too much: %v, expected ErrQuota", err)
	}
	expectUsage(t, db, ws, store.Usage{Files: 8, Bytes: content})
}

func quotaAgent(t testing.TB, db store.Store, l workspace.Limits) *workspace.Workspace {
	t.Helper()
	svc, err := workspace.New(db, workspace.Options{Limits: l})
	testkit.Must(t, err)
	ws, err := svc.Agent("quota")
	testkit.Must(t, err)
	return ws
}

func testQuota(t *testing.T, p quotaPlan, fits int) {
	path := filepath.Join(t.TempDir(), "quota.db")
	db := open(t, path)
	ws := quotaAgent(t, db, p.Limits)
	plan, err := json.Marshal(p)
	testkit.Must(t, err)
	children := startChildren(t, quotaProcesses, "quota", path, string(plan))
	for _, c := range children {
		c.expect(t, "ready")
	}
	watch := watchUsage(t, ws, p.Limits)
	for _, c := range children {
		c.say(t, "go")
	}
	stored := 0
	for _, c := range children {
		var n int
		testkit.Must(t, testkit.Err(fmt.Sscan(c.next(t), &n)))
		stored += n
		c.finish(t)
	}
	watch()
	if stored != fits {
		t.Errorf("%d writes were stored, expected exactly %d", stored, fits)
	}
	want := store.Usage{Bytes: int64(fits * quotaSize)}
	switch p.Do {
	case "file":
		want.Files = int64(fits)
	case "logs":
		want.Logs, want.Entries = int64(fits), int64(fits)
	case "log":
		want.Logs, want.Entries, want.Bytes = 1, int64(fits*p.Entry), want.Bytes*int64(p.Entry)
	}
	expectUsage(t, db, ws, want)
}

// watchUsage reads the usage again and again until stop is called, and fails if a limit
// is exceeded at any moment.
func watchUsage(t *testing.T, ws *workspace.Workspace, l workspace.Limits) (stop func()) {
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			u, err := ws.Usage(context.Background())
			l := u.Limits
			if err != nil || u.Files > l.Files || u.Logs > l.Logs || u.Entries > l.Entries || u.Bytes+u.Charge > l.Bytes {
				t.Errorf("Usage() = %+v, %v, expected within the limits %+v", u.Usage, err, l)
				return
			}
			select {
			case <-end:
				return
			default:
			}
		}
	})
	return sync.OnceFunc(func() { close(end); wg.Wait() })
}

// expectUsage compares the counters with want, but for the operations. Verify adds up what is
// there.
func expectUsage(t testing.TB, db *sqlite.Store, ws *workspace.Workspace, want store.Usage) {
	t.Helper()
	u, err := ws.Usage(t.Context())
	u.Operations = 0
	if err != nil || u.Usage != want {
		t.Errorf("Usage() = %+v, %v, expected %+v", u.Usage, err, want)
	}
	if r, err := db.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || r.Problems != nil {
		t.Errorf("Verify() = %q, %v, expected no problems", r.Problems, err)
	}
}

// A planted bug: the usage is read outside of the transaction. Then more is stored than
// fits, and the test above would see it.
func TestQuotaCatchesStaleUsage(t *testing.T) {
	t.Parallel()
	const fits = 40
	p := quotaPlan{Do: "file", Limits: workspace.Limits{Bytes: fits * fileBytes}}
	for range 20 { // on a busy machine the writers may come one after the other
		ws := quotaAgent(t, staleUsageStore{open(t, filepath.Join(t.TempDir(), "quota.db"))}, p.Limits)
		stored, err := p.fill(ws, "stale")
		testkit.Must(t, err)
		if stored > fits {
			return
		}
	}
	t.Errorf("never more than %d writes were stored: the check would not see a race", fits)
}

type staleUsageStore struct{ store.Store }

func (s staleUsageStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	var state store.OwnerState
	err := s.Store.View(ctx, o, func(r store.Reader) (err error) {
		state, err = r.Owner()
		return err
	})
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, o, func(tx store.Tx) error { return fn(staleUsageTx{tx, state}) })
}

type staleUsageTx struct {
	store.Tx
	state store.OwnerState
}

func (tx staleUsageTx) Load(q store.Query) (store.Loaded, error) {
	l, err := tx.Tx.Load(q)
	fresh := l.Owner
	l.Owner = tx.state
	l.Owner.Revision, l.Owner.Changes = fresh.Revision, fresh.Changes
	return l, err
}
