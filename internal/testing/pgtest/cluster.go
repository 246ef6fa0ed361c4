package pgtest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// ClusterOptions are the options of a [Cluster] and of its standbys.
type ClusterOptions struct {
	// Fsync makes the server sync to disk. Without it an acknowledged commit survives
	// the end of the server, but not of the machine.
	Fsync bool

	// Settings are lines of postgresql.conf, such as max_connections.
	Settings map[string]string
}

// A Cluster is a PostgreSQL server of one test: a primary, or the standby of another
// Cluster. It ends with the test. Its methods fail the test if they do not succeed, so
// they are for the test's own goroutine, as testing.T.FailNow is. URL alone may be
// called from others.
type Cluster struct {
	t       testing.TB
	options ClusterOptions
	server  *server
	name    string // how a primary knows it as a standby
}

// A Replication says whether a commit waits for a standby.
type Replication string

const (
	Synchronous  Replication = "synchronous"
	Asynchronous Replication = "asynchronous"
)

// NewCluster starts a server. The test is skipped where PostgreSQL is not installed.
func NewCluster(t testing.TB, o ClusterOptions) *Cluster {
	t.Helper()
	need(t)
	c := newCluster(t, o, "primary")
	settings := fastSettings()
	maps.Copy(settings, map[string]string{
		"full_page_writes": "on", // pg_rewind needs it
		"wal_level":        "replica",
		"wal_keep_size":    "256MB",
		"hot_standby":      "on",
		"max_wal_size":     "1GB",
	})
	if o.Fsync {
		settings["fsync"] = "on"
	}
	maps.Copy(settings, o.Settings)
	c.must(c.server.initialize(settings))
	c.must(c.server.start())
	return c
}

// newCluster makes a server's folder, and removes it at the end of the test.
func newCluster(t testing.TB, o ClusterOptions, name string) *Cluster {
	t.Helper()
	s, err := newServer(findPrograms())
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, options: o, server: s, name: name}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of PostgreSQL %s:\n%s", name, s.logTail())
		}
		if err := s.remove(); err != nil {
			t.Errorf("remove PostgreSQL %s: %v", name, err)
		}
	})
	return c
}

func (c *Cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("PostgreSQL %s: %v", c.name, err)
	}
}

// URL returns the URL of the database postgres of the server.
func (c *Cluster) URL() string { return c.server.url("postgres") }

// FailoverURL returns a URL that names several servers. A client connects to the one
// that takes writes.
func FailoverURL(clusters ...*Cluster) string {
	var hosts, ports []string
	for _, c := range clusters {
		hosts = append(hosts, url.QueryEscape(c.server.dir))
		ports = append(ports, strconv.Itoa(c.server.port))
	}
	return "postgres://postgres@/postgres?host=" + strings.ReplaceAll(strings.Join(hosts, ","), "%2F", "/") +
		"&port=" + strings.Join(ports, ",") + "&target_session_attrs=read-write"
}

// Exec runs SQL on a connection of its own and returns the first column of the last
// result.
func (c *Cluster) Exec(sql string) []string {
	c.t.Helper()
	out, err := c.server.exec(sql)
	c.must(err)
	return out
}

// Start starts the server again after Stop or Kill.
func (c *Cluster) Start() {
	c.t.Helper()
	// After Kill, processes of the server may need a moment to notice.
	deadline := time.Now().Add(startTime)
	for {
		err := c.server.start()
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "still in use") || time.Now().After(deadline) {
			c.must(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Stop stops the server at once, as pg_ctl -m immediate does. It writes nothing more,
// and recovers at its next start.
func (c *Cluster) Stop() {
	c.t.Helper()
	c.must(c.server.stop(syscall.SIGQUIT))
}

// Reload makes the server read its settings again with some of them changed. Those that
// need a restart are left alone until then.
func (c *Cluster) Reload(settings map[string]string) {
	c.t.Helper()
	c.must(c.server.configure(settings))
	c.Exec("SELECT pg_reload_conf()")
	for name, value := range settings {
		c.wait("to have reloaded "+name, "SELECT current_setting('"+name+"')", value)
	}
}

// Standby copies the server and starts the copy as its standby. It waits until the
// standby has caught up. Commits wait for a synchronous one from then on.
func (c *Cluster) Standby(name string, r Replication) *Cluster {
	c.t.Helper()
	s := newCluster(c.t, c.options, name)
	s.must(s.server.run("pg_basebackup", "-D", s.server.data(), "-d", c.conninfo(s), "-X", "stream", "-c", "fast",
		"--no-sync"))
	s.follow(c, r)
	return s
}

// Rewind makes a server that was stopped the standby of another one, which was promoted
// meanwhile. What the other does not have is lost. Rewind waits until the standby has
// caught up. Commits wait for a synchronous one from then on.
func (c *Cluster) Rewind(primary *Cluster, r Replication) {
	c.t.Helper()
	primary.Exec("CHECKPOINT") // pg_rewind looks for the new timeline on disk
	c.must(c.server.run("pg_rewind", "-D", c.server.data(), "--source-server", primary.conninfo(c), "--no-sync"))
	c.follow(primary, r)
}

// Promote makes a standby take writes. Its commits wait for no standby until it has a
// synchronous one again. Promote returns when it takes writes.
func (c *Cluster) Promote() {
	c.t.Helper()
	// pg_promote waits for a minute.
	if got := c.Exec("SELECT pg_promote()"); got[0] != "t" {
		c.t.Fatalf("PostgreSQL %s: pg_promote: %s", c.name, got)
	}
	c.Reload(map[string]string{"synchronous_standby_names": "", "primary_conninfo": ""})
}

// conninfo returns how a standby reaches the server.
func (c *Cluster) conninfo(standby *Cluster) string {
	return fmt.Sprintf("host='%s' port=%d user=postgres dbname=postgres application_name=%s", c.server.dir,
		c.server.port, standby.name)
}

// follow starts the server as a standby.
func (c *Cluster) follow(primary *Cluster, r Replication) {
	c.t.Helper()
	signal := filepath.Join(c.server.data(), "standby.signal")
	c.must(os.WriteFile(signal, nil, 0o600))
	c.must(c.server.keeper.own(signal))
	c.must(c.server.configure(map[string]string{"primary_conninfo": primary.conninfo(c),
		"synchronous_standby_names": ""}))
	c.Start()
	const state = "SELECT %s FROM pg_stat_replication WHERE application_name = '%s'"
	primary.wait("to stream to "+c.name, fmt.Sprintf(state, "state", c.name), "streaming")
	if r == Synchronous {
		primary.Reload(map[string]string{"synchronous_standby_names": "FIRST 1 (" + c.name + ")"})
		primary.wait("to have a synchronous standby", fmt.Sprintf(state, "sync_state", c.name), "sync")
	}
}

// wait asks until the first column of the first row is what is wanted.
func (c *Cluster) wait(what, sql, want string) {
	c.t.Helper()
	deadline := time.Now().Add(startTime)
	for {
		got := c.Exec(sql)
		if len(got) > 0 && got[0] == want {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("PostgreSQL %s does not come %s: %q, want %q\n%s", c.name, what, got, want, c.server.logTail())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Terminate ends the connections of a database whose state is one of those given, such
// as idle, active or "idle in transaction", and returns their number. Without a state it
// ends all. The connections of other databases go on. It is safe for concurrent use, and
// returns an error in place of failing a test.
func Terminate(ctx context.Context, databaseURL string, states ...string) (int, error) {
	c, err := pgconn.Connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer c.Close(ctx)
	// The connections of other calls of Terminate are left alone.
	const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name <> 'pgtest terminate'
		AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND (state = ANY($1) OR $1 = '{}')`
	if _, err := c.Exec(ctx, "SET application_name = 'pgtest terminate'").ReadAll(); err != nil {
		return 0, err
	}
	array := "{"
	for i, s := range states {
		if i > 0 {
			array += ","
		}
		array += strconv.Quote(s)
	}
	r := c.ExecParams(ctx, sql, [][]byte{[]byte(array + "}")}, []uint32{1009}, nil, nil).Read()
	return len(r.Rows), r.Err
}
