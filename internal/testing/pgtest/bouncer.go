package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Bouncer starts pgbouncer in transaction mode in front of a server, and returns the URL
// of the same database behind it. It has a pool of few connections, so that clients
// change them often, and ignores no startup parameter. It ends with the test. The test
// is skipped where pgbouncer is not installed. If the URL names several servers, pgbouncer
// uses the first.
func Bouncer(t testing.TB, databaseURL string) string {
	t.Helper()
	program := findBouncer()
	if program == "" {
		t.Skip("pgbouncer is not in PATH and not in /usr/sbin")
	}
	need(t)
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	k, err := startKeeper()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := k.newDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ini := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(ini, []byte(bouncerConfig(config, dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := k.own(ini); err != nil {
		t.Fatal(err)
	}
	cmd := k.command(program, "-q", ini)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait() // its error is the signal
	})
	url := makeURL(config.Database, dir, bouncerPort)
	if err := waitBouncer(cmd, url); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("pgbouncer does not answer: %v\n%s", err, log)
	}
	return url
}

func findBouncer() string {
	if name, err := exec.LookPath("pgbouncer"); err == nil {
		return name
	}
	if name := "/usr/sbin/pgbouncer"; executable(name) {
		return name
	}
	return ""
}

const bouncerPort = 6432 // part of the socket's name alone

func bouncerConfig(server *pgconn.Config, dir string) string {
	return fmt.Sprintf(`[databases]
* = host=%s port=%d user=%s
[pgbouncer]
pool_mode = transaction
default_pool_size = 6
max_client_conn = 300
auth_type = any
listen_addr =
listen_port = %d
unix_socket_dir = %s
logfile = %s
server_tls_sslmode = disable
`, server.Host, server.Port, server.User, bouncerPort, dir, filepath.Join(dir, "log"))
}

func waitBouncer(cmd *exec.Cmd, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		c, err := pgconn.Connect(ctx, url)
		if err == nil {
			return c.Close(ctx)
		}
		if ctx.Err() != nil || ended(cmd.Process.Pid) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
