package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// A place is where the database is.
type place struct {
	shown    string                          // for people
	evidence string                          // the folder for histories
	keeps    string                          // what is kept after a failure, for people
	database func(server string) string      // what a server opens
	tenant   string                          // of the agent that the clients share
	unsure   time.Duration                   // how long a write may come after its process has ended
	renew    func(ctx context.Context) error // makes a new database, where that is possible
	empty    bool                            // the database has no agents after renew
	verify   func(ctx context.Context) error // checks the whole database
	clean    func(ctx context.Context, failed bool) error

	// terminate ends a share of the connections of all servers, and returns how many; nil:
	// there are none.
	terminate func(ctx context.Context, share float64) (int, error)
}

// canaries returns agents of the tenant of the shared agent; otherCanaries some of another.
func (p *place) canaries(agents ...string) []bird { return birds(p.tenant, agents) }
func (p *place) otherCanaries(agents ...string) []bird {
	return birds(p.otherTenant(), agents)
}

func (p *place) otherTenant() string { return p.tenant + "-b" }

func birds(tenant string, agents []string) (all []bird) {
	for _, a := range agents {
		all = append(all, bird{tenant: tenant, agent: a})
	}
	return all
}

func newPlace(o Options) (*place, error) {
	if pgurl.Is(o.Database) {
		return newServer(o)
	}
	return newFolder(o)
}

// newFolder makes a place in a new folder, which is removed at the end unless a check failed.
func newFolder(o Options) (*place, error) {
	folder, err := os.MkdirTemp(or(o.Database, "."), "scratchpad-torture-")
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	path, n := "", 0
	p := &place{shown: folder, evidence: or(o.Evidence, folder), keeps: folder, empty: true, tenant: "torture"}
	p.database = func(string) string { return path }
	p.renew = func(context.Context) error {
		if path != "" {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				return err
			}
		}
		n++
		path = filepath.Join(folder, fmt.Sprint(n), "torture.db")
		return os.Mkdir(filepath.Dir(path), 0o700)
	}
	p.verify = func(ctx context.Context) error { return verifyFile(ctx, path) }
	p.clean = func(_ context.Context, failed bool) error {
		if failed {
			return nil
		}
		return os.RemoveAll(folder)
	}
	return p, nil
}

// verifyFile checks everything in a SQLite database.
func verifyFile(ctx context.Context, path string) error {
	store, err := sqlite.OpenReadOnly(ctx, path, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("opening the database to verify it: %w", err)
	}
	report, err := store.Verify(ctx, sqlite.VerifyOptions{})
	if err = errors.Join(err, store.Close()); err != nil {
		return fmt.Errorf("verifying the database: %w", err)
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("verifying the database found %d problems, the first is: %s", len(report.Problems),
			report.Problems[0])
	}
	return nil
}
