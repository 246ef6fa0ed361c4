package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/jackc/pgx/v5/pgconn"
)

// named returns the URL with a name for its connections.
func named(t testing.TB, database, name string) string {
	t.Helper()
	u, err := url.Parse(database)
	testkit.Must(t, err)
	q := u.Query()
	q.Set("application_name", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// An asker asks the server about itself, on a connection of its own.
type asker struct {
	t testing.TB
	c *pgconn.PgConn
}

func asking(t testing.TB, database string) asker {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), database)
	testkit.Must(t, err)
	t.Cleanup(func() { c.Close(context.Background()) })
	return asker{t, c}
}

// exec returns the first column of the first row.
func (a asker) exec(sql string) string {
	a.t.Helper()
	results, err := a.c.Exec(context.Background(), sql).ReadAll()
	if err != nil {
		a.t.Fatal(err)
	}
	if last := results[len(results)-1]; len(last.Rows) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}

// ofDatabase is a condition on locks.
const ofDatabase = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"

// wait waits until a query returns what is wanted.
func (a asker) wait(sql, want string) {
	a.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got := a.exec(sql)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			a.t.Fatalf("%s: %s, want %s", sql, got, want)
		}
	}
}

// openStore opens a store.
func openStore(t testing.TB, url string, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, o)
	testkit.Must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

func service(t testing.TB, s *postgres.Store) *workspace.Service {
	t.Helper()
	svc, err := workspace.New(s, workspace.Options{})
	testkit.Must(t, err)
	return svc
}

func agent(t testing.TB, svc *workspace.Service, name string) *workspace.Workspace {
	t.Helper()
	ws, err := svc.Agent(name)
	testkit.Must(t, err)
	return ws
}

func put(ctx context.Context, ws *workspace.Workspace, path string) error {
	return testkit.Err(ws.WriteFile(ctx, path, []byte("content of "+path), workspace.WriteOptions{}))
}

// TestHotOwner locks an agent's row from outside, while 64 callers write to the agent. They
// hold one connection together, so a pool of three serves others. A caller leaves at its
// deadline or when it is cancelled, and nothing has happened.
func TestHotOwner(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	svc := service(t, openStore(t, named(t, database, "hot"), postgres.Options{MaxConns: 3, LockTimeout: time.Hour, IdleTimeout: time.Hour, StatementTimeout: time.Hour}))
	hot, other := agent(t, svc, "hot"), agent(t, svc, "other")
	for _, ws := range []*workspace.Workspace{hot, other} {
		testkit.Must(t, put(t.Context(), ws, "first"))
	}
	lock, a := asking(t, database), asking(t, database)
	lock.exec("BEGIN; SELECT owner FROM owners WHERE owner = 'local/hot' FOR UPDATE")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 64)
	for i := range 64 {
		go func() { ended <- put(ctx, hot, fmt.Sprintf("file-%d", i)) }()
	}
	const open = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hot'"
	a.wait(open+" AND wait_event_type = 'Lock'", "1")
	for range 20 {
		testkit.Must(t, put(t.Context(), other, "file"))
		if _, err := hot.ReadFile(t.Context(), "first", workspace.ReadOptions{}); err != nil {
			t.Fatalf("read of the locked agent: %v", err)
		}
		// What tells other processes of the last write has one more for a moment.
		a.wait(open+" AND (wait_event_type = 'Lock' OR state LIKE 'idle in%')", "1")
	}
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := put(short, hot, "late"); !errors.Is(err, store.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("write to a locked agent = %v, want ErrBusy at the deadline", err)
	}
	cancel()
	for range 64 {
		if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("write that was cancelled = %v, want context.Canceled", err)
		}
	}
	lock.exec("ROLLBACK")
	list, err := hot.ListFiles(t.Context(), workspace.ListOptions{})
	if err != nil || len(list.Files) != 1 {
		t.Errorf("after the callers left there are %d files, %v, want 1", len(list.Files), err)
	}
	if err := put(t.Context(), hot, "after"); err != nil {
		t.Errorf("write after the lock was gone: %v", err)
	}
}

// TestReadersBesideCommits has a synchronous standby that does not exist, so that no commit
// is confirmed. Writers wait on all connections that they may have, and readers find one.
func TestReadersBesideCommits(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	c := pgtest.NewCluster(t, pgtest.ClusterOptions{})
	s := openStore(t, named(t, c.URL(), "readers"), postgres.Options{MaxConns: 4, CommitWait: time.Minute})
	svc := service(t, s)
	var all []*workspace.Workspace
	for i := range 8 {
		all = append(all, agent(t, svc, fmt.Sprintf("agent-%d", i)))
		testkit.Must(t, put(t.Context(), all[i], "first"))
	}
	c.Reload(map[string]string{"synchronous_standby_names": "FIRST 1 (nobody)"})
	waitForDelete(t, openStore(t, c.URL(), postgres.Options{CommitWait: 500 * time.Millisecond}), store.ErrOutcomeUnknown)
	done := make(chan error, 8)
	for _, ws := range all {
		go func() { done <- put(t.Context(), ws, "second") }()
	}
	a := asking(t, c.URL())
	a.wait("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'readers' AND wait_event = 'SyncRep'", "3")
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, err := all[i%8].ReadFile(ctx, "first", workspace.ReadOptions{}); err != nil {
			t.Errorf("read while all commits wait: %v", err)
		}
		cancel()
	}
	if n := s.Stats().Writers; n != 3 {
		t.Errorf("%d writers have a connection, want 3", n)
	}
	c.Reload(map[string]string{"synchronous_standby_names": ""})
	for range 8 {
		if err := <-done; err != nil {
			t.Errorf("write that waited = %v", err)
		}
	}
}

// ready returns what Ready says. On a busy machine a look may take longer than Ready waits for
// it; then it asks again.
func ready(t *testing.T, s *postgres.Store) (err error) {
	t.Helper()
	for range 60 {
		if err = s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
			break
		}
	}
	return err
}

// TestConnections has many callers of all kinds at once. A store never has more connections
// than MaxConns and two.
func TestConnections(t *testing.T) {
	t.Parallel()
	const most = 5
	database := pgtest.URL(t)
	s := openStore(t, named(t, database, "counted"), postgres.Options{MaxConns: most})
	svc := service(t, s)
	for range 3 {
		testkit.Must(t, testkit.Err(s.Watch(t.Context())))
	}
	var wg sync.WaitGroup
	for i := range 200 {
		ws := agent(t, svc, fmt.Sprintf("agent-%d", i%50))
		wg.Go(func() {
			if err := put(t.Context(), ws, "file"); err != nil {
				t.Errorf("write: %v", err)
			}
			if _, err := ws.ReadFile(t.Context(), "file", workspace.ReadOptions{}); err != nil {
				t.Errorf("read: %v", err)
			}
			if err := ready(t, s); err != nil {
				t.Errorf("Ready() = %v", err)
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	a := asking(t, database)
	seen := 0
	for going := true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		n, err := strconv.Atoi(a.exec("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'"))
		testkit.Must(t, err)
		seen = max(seen, n)
	}
	if seen > most+2 || seen < most {
		t.Errorf("the store had %d connections, want %d to %d", seen, most, most+2)
	}
}
