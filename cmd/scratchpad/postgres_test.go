package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const pgPassword = "Geheim-7531"

// unreachable are URLs of databases that nobody serves. The second has a character in its
// password that must be escaped.
var unreachable = []string{"postgres://u:" + pgPassword + "@127.0.0.1:1/x", "postgresql://u:a/" + pgPassword + "@127.0.0.1:1/x"}

// Whatever a command says of a database that it cannot reach, it does not say the password.
func TestPasswordsAreNotShown(t *testing.T) {
	testkit.SkipUnlessLong(t)
	dir := t.TempDir()
	for i, command := range commands(t) {
		if len(command.Children) > 0 || command.Hidden {
			continue
		}
		url := unreachable[i%2]
		args := argumentsFor(command)
		for n, run := range []struct{ variables, args []string }{
			{[]string{"SCRATCHPAD_DEBUG=1"}, []string{"--db", url}},
			{[]string{"SCRATCHPAD_DB=" + url}, []string{"--json"}},
			{nil, []string{url, url}}, // in the wrong place
		} {
			if n != i%3 && !testkit.Full() {
				continue // each command once
			}
			o := runCommand(t, dir, append(run.variables, "HOME="+dir), append(slices.Clone(args), run.args...)...)
			if strings.Contains(o.out+o.err, pgPassword) {
				t.Errorf("%s shows the password: %s%s", strings.Join(args, " "), o.out, o.err)
			}
		}
	}
}

// An agent is told that the database cannot be reached, and nothing of the machine.
func TestAgentsOfUnreachableDatabase(t *testing.T) {
	session := connect(t, "mcp", "--agent", "a", "--db", unreachable[0])
	text, isError := call(t, session, "read_file", map[string]any{"path": "a"})
	said := strings.Join(text, "\n")
	if !isError || !strings.Contains(said, "the database cannot be reached now") {
		t.Errorf("the answer is %q", said)
	}
	for _, hidden := range []string{"127.0.0.1", "dial", "refused", "user", "postgres", pgPassword} {
		if strings.Contains(said, hidden) {
			t.Errorf("an agent sees %q: %s", hidden, said)
		}
	}
}

// Commands that look make no tables and count no operation. The others work as on a file.
func TestCommandsOnPostgres(t *testing.T) {
	url := pgtest.URL(t)
	dir, db := t.TempDir(), []string{"SCRATCHPAD_DB=" + url}
	for _, args := range []string{"files ls", "stats", "search x", "verify", "agents ls", "keys ls", "export e"} {
		runCommand(t, dir, db, strings.Fields(args)...).must(t, failure.ExitNotFound, "there is no database at postgres://")
	}
	runCommand(t, dir, db, "doctor").must(t, 0, "no tables of scratchpad yet")
	runCommand(t, dir, db, "brief").must(t, 0, "empty")
	if there, err := database.Exists(t.Context(), url, database.Options{}); there || err != nil {
		t.Errorf("a look has made tables: %v, %v", there, err)
	}
	runCommand(t, dir, db, "logs", "append", "l", "one").must(t, 0)
	for _, args := range []string{"logs cat l", "search one", "changes", "brief", "stats", "agents ls"} {
		runCommand(t, dir, db, strings.Fields(args)...).must(t, 0)
	}
	runCommand(t, dir, db, "stats", "--json").must(t, 0, `"total_operations":1,`)
	runCommand(t, dir, db, "verify").must(t, 0, "ok  1 agent, 0 versions, 1 entry, 3 B")
	runCommand(t, dir, db, "doctor").must(t, failure.ExitDatabase, "the primary", "fsync is off", "schema 3", "synchronous", "checksums")
	runCommand(t, dir, db, "doctor", "--scrub").must(t, failure.ExitDatabase, "0 deleted files removed", "VACUUM FULL")
	runCommand(t, dir, db, "backup", "b.db").must(t, failure.ExitUsage, "pg_dump --format=custom --file=", "scratchpad verify --db URL")
	damage(t, url)
	runCommand(t, dir, db, "verify").must(t, failure.ExitDatabase, "problem", "keep this one")
}

// damage makes the counters of an agent wrong.
func damage(t *testing.T, url string) {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), url)
	testkit.Must(t, err)
	defer c.Close(context.Background())
	testkit.Must(t, testkit.Err(c.Exec(t.Context(), "UPDATE owners SET entries = entries + 1").ReadAll()))
}

// A server on PostgreSQL says where its memory is and what its writes survive, without the
// password, and its metrics are those of the pool.
func TestServeOnPostgres(t *testing.T) {
	url := strings.Replace(pgtest.URL(t), "postgres@", "postgres:"+pgPassword+"@", 1)
	if !strings.Contains(url, pgPassword) {
		t.Fatalf("the URL %s has no user to give a password to", url)
	}
	metrics := testkit.FreeAddress(t)
	s := serve(t, "--db", url, "--metrics-addr", metrics)
	if _, ready := s.get(t, "/readyz", ""); ready != "{\"ready\":true}\n" {
		t.Errorf("/readyz = %q", ready)
	}
	_, text := (&running{url: "http://" + metrics}).get(t, "/metrics", "")
	for _, want := range []string{"scratchpad_store_connections_limit 16\n", "scratchpad_store_commit_seconds_count 0\n", "scratchpad_store_retries_total 0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %q", want)
		}
	}
	if strings.Contains(text, "wal_bytes") {
		t.Error("the metrics have those of SQLite")
	}
	if said := strings.Join(s.said, "\n"); !strings.Contains(said, "NOT DURABLE: fsync is off") || strings.Contains(said+s.log.String()+text, pgPassword) {
		t.Errorf("the server says %s", said)
	}
}
