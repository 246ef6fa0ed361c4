package torture_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/jackc/pgx/v5/pgconn"
)

// A run in somebody's database leaves nothing of its own, and what was there as it was. It
// ends no connection of others.
func TestRunCleansPostgreSQL(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	testkit.Must(t, err)
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{Tenant: "torture-b"})
	testkit.Must(t, err)
	ws, err := svc.Agent("agent-1")
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "a", []byte("mine"), workspace.WriteOptions{})))
	watcher, err := pgconn.Connect(t.Context(), url)
	testkit.Must(t, err)
	defer watcher.Close(context.WithoutCancel(t.Context()))
	before := rowsOf(t, watcher)

	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	report, err := torture.Run(ctx, torture.Options{
		Program: program(healthy), Database: url + "&password=secret", Evidence: t.TempDir(), For: time.Hour, Stop: 50 * time.Millisecond,
		Show: func(p torture.Progress) {
			if p.Histories > 0 && p.Terminated > 0 {
				enough()
			}
		},
	})
	if err != nil || len(report.Failures) > 0 || report.Terminated == 0 || report.Kept != "" {
		t.Errorf("Run() = %+v, %v, expected no failure, terminated backends and nothing kept", report, err)
	}
	if after := rowsOf(t, watcher); after != before {
		t.Errorf("the tables have %s rows, expected %s as before", after, before)
	}
	if r, err := ws.ReadFile(t.Context(), "a", workspace.ReadOptions{}); err != nil || string(r.Content) != "mine" {
		t.Errorf("the file of another tenant is %q, %v", r.Content, err)
	}
	if strings.Contains(report.Database, "secret") {
		t.Errorf("the report shows the password: %s", report.Database)
	}
}

// rowsOf counts the rows of all tables. The connection must still be there.
func rowsOf(t *testing.T, c *pgconn.PgConn) string {
	t.Helper()
	var counts []string
	for _, table := range []string{"owners", "files", "versions", "logs", "entries", "changes", "requests", "summaries", "records"} {
		r := c.ExecParams(t.Context(), "SELECT count(*)::text FROM "+table, nil, nil, nil, nil).Read()
		testkit.Must(t, r.Err)
		counts = append(counts, fmt.Sprintf("%s %s", table, r.Rows[0][0]))
	}
	return strings.Join(counts, ", ")
}

// A wrong address is an error, and shows no password.
func TestRunWithoutPostgreSQL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:secret@127.0.0.1:1/none?sslmode=disable&connect_timeout=1", "postgres://user:secret@:port/x"} {
		report, err := torture.Run(t.Context(), torture.Options{Program: program(impatient), Database: url, Evidence: t.TempDir()})
		if err == nil || len(report.Failures) > 0 || strings.Contains(err.Error(), "secret") {
			t.Errorf("Run(%s) = %+v, %v, expected an error without the password", url, report, err)
		}
	}
}
