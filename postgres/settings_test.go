package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// set gives sessions that begin from now on other settings.
func set(t testing.TB, url string, settings ...string) {
	t.Helper()
	name := ask(t, url, "SELECT current_database()")[0]
	for _, s := range settings {
		ask(t, url, "ALTER DATABASE "+name+" SET "+s+"; SELECT 1")
	}
}

// What the server sets for a session changes nothing that the store does.
func TestSettings(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	set(t, url, "default_transaction_isolation = 'serializable'", "default_transaction_deferrable = on",
		"standard_conforming_strings = off", "backslash_quote = off", "datestyle = 'German'", "timezone = 'Asia/Kathmandu'",
		"intervalstyle = 'iso_8601'", "bytea_output = 'escape'", "client_encoding = 'latin1'", "synchronous_commit = off",
		"extra_float_digits = 0", "transform_null_equals = on", "lock_timeout = '1ms'", "statement_timeout = '20s'")
	s := open(t, url)
	w := agent(t, openWith(t, url, postgres.Options{}), "agent")
	for _, call := range tripCalls()[:7] {
		if call.name == "conditional write" {
			testkit.Must(t, testkit.Err(w.WriteFile(t.Context(), "a.md", []byte("1"), workspace.WriteOptions{})))
		}
		if err := call.do(t.Context(), w); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
	}
	const key = `ключ/%_\é`
	at := time.Date(1969, 7, 20, 20, 17, 40, 123456000, time.UTC)
	system := s.System(t.Context())
	testkit.Must(t, system.Restore(store.Record{Key: key, Value: []byte("\x00\xff\\"), Revision: 1 << 62, Updated: at}))
	list, err := system.List(`ключ/%_\`, "", 10)
	if err != nil || len(list) != 1 || list[0].Key != key || string(list[0].Value) != "\x00\xff\\" || !list[0].Updated.Equal(at) {
		t.Errorf("List() = %+v, %v", list, err)
	}
	if got := ask(t, url+"&client_encoding=utf8", "SELECT key FROM records")[0]; got != key {
		t.Errorf("the key is stored as %q", got)
	}
}

// A database that takes no writes by its owner's will is not written to.
func TestReadOnlyByDefault(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	testkit.Must(t, open(t, url).Update(t.Context(), someOwner, countFile))
	set(t, url, "default_transaction_read_only = on")
	s := open(t, url)
	_, put := s.System(t.Context()).Put("key", nil, 0)
	for name, err := range map[string]error{
		"Ready": ready(t, s), "Update": s.Update(t.Context(), someOwner, countFile), "Put": put,
	} {
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s = %v, want ErrReadOnly", name, err)
		}
	}
	if err := s.View(t.Context(), someOwner, func(r store.Reader) error {
		state, err := r.Owner()
		if state.Files != 1 {
			t.Errorf("%d files, want 1", state.Files)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// A dump goes on although its function takes longer than the server allows a transaction to
// be idle. A View ends then, because it would keep the server from removing old rows.
func TestIdleSnapshots(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	w := agent(t, openWith(t, url, postgres.Options{}), "agent")
	testkit.Must(t, testkit.Err(w.WriteFile(t.Context(), "a.md", []byte("text"), workspace.WriteOptions{})))
	const limit = 300 * time.Millisecond
	set(t, url, "idle_in_transaction_session_timeout = '300ms'")
	s, err := postgres.Open(t.Context(), url, postgres.Options{IdleTimeout: limit, LockTimeout: 10 * limit})
	testkit.Must(t, err)
	defer s.Close()
	rows := 0
	err = s.Dump(t.Context(), someOwner, func(store.Row) error {
		if rows++; rows == 1 {
			time.Sleep(3 * limit)
		}
		return nil
	})
	if err != nil || rows != 4 {
		t.Errorf("Dump() = %v after %d rows, want 4", err, rows)
	}
	err = s.View(t.Context(), someOwner, func(r store.Reader) error {
		if _, err := r.Owner(); err != nil {
			return err
		}
		if _, err := r.Load(store.Query{File: "a.md", History: true}); err != nil {
			return err
		}
		time.Sleep(3 * limit)
		return testkit.Err(r.Owner())
	})
	if !errors.Is(err, store.ErrBusy) {
		t.Errorf("a View that is idle: %v, want ErrBusy", err)
	}
}

// A Reader or a Tx that was kept is of no use after its function, whoever has its
// connection then.
func TestKeptReader(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	s := open(t, pgtest.URL(t))
	var kept []store.Reader
	testkit.Must(t, s.View(t.Context(), someOwner, func(r store.Reader) error {
		kept = append(kept, r)
		_, err1 := r.Owner()
		_, err2 := r.Owner()
		return errors.Join(err1, err2)
	}))
	var tx store.Tx
	testkit.Must(t, s.Update(t.Context(), someOwner, func(x store.Tx) error {
		tx = x
		kept = append(kept, x)
		return countFile(x)
	}))
	err := s.View(context.Background(), store.Owner{Tenant: "local", Agent: "other"}, func(r store.Reader) error {
		_, err1 := r.Owner()
		_, err2 := r.Owner() // keeps a connection, the one that those had
		for i, r := range kept {
			if state, err := r.Owner(); err == nil {
				t.Errorf("%d: Owner() = %+v, want an error", i, state)
			}
		}
		if err := tx.Apply(store.OwnerState{}); err == nil {
			t.Error("SaveOwner() = nil, want an error")
		}
		return errors.Join(err1, err2)
	})
	if err != nil {
		t.Error(err)
	}
}

// Operators see why a write may be lost, here because the server of tests does not sync.
func TestInfo(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url)
	i, err := s.Info(t.Context())
	testkit.Must(t, err)
	if i.Server == "" || i.Standby || i.ReadOnly || i.Schema < 1 || i.Schema != i.Newest || i.Bytes < 1<<20 || i.Connections < 1 || i.MaxConnections != 300 ||
		i.SynchronousCommit != "on" || i.SynchronousStandbys != "" || i.Standbys != nil || i.Lag != 0 {
		t.Errorf("Info() = %+v", i)
	}
	if len(i.NotDurable) != 2 || !strings.Contains(i.NotDurable[0], "fsync is off") || !strings.Contains(i.NotDurable[1], "full_page_writes is off") {
		t.Errorf("not durable, because %q", i.NotDurable)
	}
}

// A primary knows its standbys, and a standby says that it is one.
func TestInfoOfStandby(t *testing.T) {
	testkit.SkipInShort(t)
	if !testkit.Long() {
		t.Skip("starts two servers of its own; run it with SCRATCHPAD_TEST=all")
	}
	t.Parallel()
	primary := pgtest.NewCluster(t, pgtest.ClusterOptions{Fsync: true, Settings: map[string]string{"full_page_writes": "on"}})
	open(t, primary.URL()) // makes the tables
	standby := primary.Standby("beta", pgtest.Synchronous)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		i, err := open(t, primary.URL()).Info(t.Context())
		testkit.Must(t, err)
		if slices.ContainsFunc(i.Standbys, func(s postgres.Standby) bool { return s.Name == "beta" && s.Sync == "sync" }) && strings.Contains(i.SynchronousStandbys, "beta") && i.NotDurable == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("Info() of the primary = %+v", i)
		}
	}
	s, err := postgres.OpenReadOnly(t.Context(), standby.URL(), postgres.Options{})
	testkit.Must(t, err)
	defer s.Close()
	if i, err := s.Info(t.Context()); err != nil || !i.Standby || i.Standbys != nil || i.Lag < 0 || i.Lag > time.Minute {
		t.Errorf("Info() of the standby = %+v, %v", i, err)
	}
}
