package torture_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
)

// A run leaves nothing, also if it is interrupted. What was done until then is checked.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	report, err := torture.Run(ctx, torture.Options{
		Program: program(healthy), Database: dir, For: time.Hour, Seed: 7,
		Show: func(p torture.Progress) {
			if p.Calls > 50 {
				cancel()
			}
		},
	})
	if err != nil || len(report.Failures) > 0 || report.Calls < 50 || report.Seed != 7 {
		t.Errorf("Run() = %+v, %v after an interrupt, expected the report of seed 7 with 50 calls and without failures", report, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v, expected nothing", left, err)
	}
}

// After a failure the database and the history are kept, and the report names them.
func TestRunKeepsTheEvidence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	report, err := torture.Run(t.Context(), torture.Options{Program: program("journal gap"), Database: dir, Rounds: 20, For: time.Hour, Seed: 3, First: 5})
	if err != nil || len(report.Failures) != 1 {
		t.Fatalf("Run() = %+v, %v, expected one failure", report, err)
	}
	f := report.Failures[0]
	if f.Seed != 3 || f.Round < 5 || f.Problem == "" {
		t.Errorf("the failure is %+v, expected seed 3, a round from 5 on and a problem", f)
	}
	history := testkit.ReadFile(t, f.File)
	if lines := bytes.Count([]byte(history), []byte("\n")); lines < 20 {
		t.Errorf("the history has %d lines, expected one for each call", lines)
	}
	if found, err := filepath.Glob(filepath.Join(report.Kept, "*", "torture.db")); err != nil || len(found) != 1 {
		t.Errorf("%v, %v are kept in %q, expected the database", found, err, report.Kept)
	}
}

// A server that ends by itself is a failure.
func TestRunFindsCrashes(t *testing.T) {
	t.Parallel()
	report, err := torture.Run(t.Context(), torture.Options{Program: program(crashing), Database: t.TempDir(), Rounds: 20, For: time.Hour})
	if err != nil || len(report.Failures) != 1 || !bytes.Contains([]byte(report.Failures[0].Problem), []byte("a planted crash")) {
		t.Errorf("Run() = %+v, %v, expected a failure with the last words of the process", report, err)
	}
}
