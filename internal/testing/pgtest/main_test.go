package pgtest_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/goleak"
)

// roleVariable names a role for this test binary, which a test starts again.
const roleVariable = "SCRATCHPAD_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "shared" {
		m.Run()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestRoleShared is the process that [TestServerEndsWithProcess] kills: it prints the
// folder and the process number of its server and waits.
func TestRoleShared(t *testing.T) {
	if os.Getenv(roleVariable) != "shared" {
		return
	}
	url := pgtest.URL(t)
	config, err := pgconn.ParseConfig(url)
	testkit.Must(t, err)
	c, err := pgconn.ConnectConfig(context.Background(), config)
	testkit.Must(t, err)
	pid := query(t, c, "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)")
	fmt.Println(config.Host, pid[0])
	time.Sleep(time.Minute)
}
