package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/torture"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// bugVariable makes this binary a server of package torture. It names the bug in it.
const bugVariable = "SCRATCHPAD_TEST_POSTGRES_BUG"

// TestRoleServer is the server process of the tests here.
func TestRoleServer(t *testing.T) {
	bug := os.Getenv(bugVariable)
	if bug == "" {
		return
	}
	if plant := postgres.Bugs[bug]; plant != nil {
		plant()
	}
	// A connection may be cut as often as Open tries again.
	openAgain := func(ctx context.Context, url string) (s workspace.Store, err error) {
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
			if s, err = postgres.Open(ctx, url, postgres.Options{}); !errors.Is(err, workspace.ErrBusy) {
				break
			}
		}
		return s, err
	}
	if err := torture.Work(context.Background(), os.Stdin, os.Stdout, openAgain); err != nil {
		os.Stderr.WriteString(err.Error()) // the other output is for the parent's protocol
		t.Fatal(err)
	}
}

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
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		r := torment(t, "none", 2)
		for _, f := range r.Failures {
			t.Errorf("seed %d, round %d: %s; the history is %s", f.Seed, f.Round, f.Problem, f.File)
		}
		t.Log(r.Progress)
	})
}

// torment runs rounds of package torture behind a proxy that cuts connections, and that
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
		Program: func() (*exec.Cmd, error) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRoleServer$")
			cmd.Env = append(os.Environ(), bugVariable+"="+bug)
			return cmd, nil
		},
		Database: proxy.URL(), Evidence: t.ArtifactDir(), Rounds: rounds, For: time.Hour, Stop: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
