package torture_test

import (
	"flag"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
)

var histories = flag.Int("histories", 0, "histories that TestLinearizable checks on each database; 0: 4, 200 with SCRATCHPAD_TEST=full")

// One order of the calls of clients of several processes explains all answers, and agrees
// with the times of calls and answers, while processes are killed and stopped.
func TestLinearizable(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { testLinearizable(t, t.TempDir()) })
	t.Run("PostgreSQL", func(t *testing.T) { testLinearizable(t, pgtest.URL(t)) })
}

func testLinearizable(t *testing.T, database string) {
	t.Parallel()
	n := testkit.Pick(4, 4, 200)
	if *histories > 0 {
		n = *histories
	}
	report, err := torture.Run(t.Context(), torture.Options{
		Program: program(healthy), Database: database, Evidence: t.ArtifactDir(), Rounds: n, For: time.Hour, Stop: 100 * time.Millisecond,
	})
	testkit.Must(t, err)
	t.Logf("%+v", report)
	for _, f := range report.Failures {
		t.Errorf("seed %d, round %d: %s; the history is %s", f.Seed, f.Round, f.Problem, f.File)
	}
	if report.Histories != int64(n) || report.Undecided > 0 {
		t.Errorf("%d histories were checked, %d of them without a decision, expected %d and 0", report.Histories, report.Undecided, n)
	}
}
