package torture_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"go.uber.org/goleak"
)

// The test binary is also the server process. The variable names the mutant that it uses in
// place of a store.
const serverVariable = "SCRATCHPAD_TEST_TORTURE"

func TestMain(m *testing.M) {
	if mutant := os.Getenv(serverVariable); mutant != "" {
		if err := torture.Work(context.Background(), os.Stdin, os.Stdout, opener(mutant)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("SCRATCHPAD_TEST") == "" { // this module is not part of the plain run
		if err := os.Setenv("SCRATCHPAD_TEST", "all"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	testkit.Checks{}.Set()
	goleak.VerifyTestMain(m)
}

// healthy is the mutant that is none.
const healthy = "healthy"

// program returns the command of a server process.
func program(mutant string) func() (*exec.Cmd, error) {
	return func() (*exec.Cmd, error) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), serverVariable+"="+mutant)
		return cmd, nil
	}
}

// bugs are planted in package postgres by their names; nil: it was built without them.
var bugs map[string]func()

func opener(mutant string) torture.Opener {
	if plant := bugs[mutant]; plant != nil {
		plant()
	}
	return func(ctx context.Context, database string) (workspace.Store, error) {
		store, err := open(ctx, database, mutant != impatient)
		if err != nil {
			return nil, err
		}
		return mutate(mutant, store), nil
	}
}

// impatient is the mutant that is none either, and that does not wait for a database.
const impatient = "impatient"

// open opens a database. A connection may be cut more often than postgres.Open tries again.
func open(ctx context.Context, database string, waits bool) (store workspace.Store, err error) {
	if !strings.HasPrefix(database, "postgres") {
		return sqlite.Open(ctx, database, sqlite.Options{})
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if store, err = postgres.Open(ctx, database, postgres.Options{}); !waits || !errors.Is(err, workspace.ErrBusy) {
			break
		}
	}
	return store, err
}
