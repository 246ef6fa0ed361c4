//go:build plantedbugs

package torture_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
)

func init() { bugs = postgres.Bugs }

// Linearizability is lost with each of the planted bugs, and kept without one, over
// connections that break when COMMIT was sent.
func TestBugsAreCaught(t *testing.T) {
	t.Parallel()
	for bug := range postgres.Bugs {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			const most = 60
			r := torment(t, bug, most)
			if len(r.Failures) == 0 {
				t.Fatalf("%d histories passed all checks, expected one to fail", most)
			}
			t.Logf("after %d histories: %.300s", r.Histories, r.Failures[0].Problem)
		})
	}
	t.Run(healthy, func(t *testing.T) {
		t.Parallel()
		r := torment(t, healthy, 2)
		for _, f := range r.Failures {
			t.Errorf("seed %d, round %d: %s; the history is %s", f.Seed, f.Round, f.Problem, f.File)
		}
		t.Log(r.Progress)
	})
}

// torment runs rounds behind a proxy that cuts connections, and that
// answers some commits with an error.
func torment(t *testing.T, bug string, rounds int) torture.Report {
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	proxy.Break(func(b pgtest.Batch) pgtest.Fault {
		switch rand.IntN(40) {
		case 0:
			return pgtest.Fault{Do: pgtest.CutBefore}
		case 1:
			return pgtest.Fault{Do: pgtest.CutAfter}
		case 2:
			return pgtest.Fault{Do: pgtest.CutAnswer}
		case 3:
			return pgtest.Fault{Code: "40003"}
		}
		return pgtest.Fault{}
	})
	r, err := torture.Run(t.Context(), torture.Options{
		Program: program(bug), Database: proxy.URL(), Evidence: t.ArtifactDir(), Rounds: rounds, For: time.Hour, Stop: 50 * time.Millisecond,
	})
	testkit.Must(t, err)
	return r
}
