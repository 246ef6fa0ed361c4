package sqlite

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// pollInterval is how often a store that is watched looks for commits of other processes.
const pollInterval = 500 * time.Millisecond

// watches are the watchers of a store, and the goroutine that looks for commits of other
// processes while there is one.
type watches struct {
	watchers workspace.Watchers
	polling  sync.Mutex // held by the goroutine that polls
}

func (w *watches) close() { w.watchers.Close() }

// tell tells of an owner, as it stands in the first column of every table.
func (w *watches) tell(owner string) {
	tenant, agent, _ := strings.Cut(owner, "/")
	w.watchers.Tell(workspace.Owner{Tenant: tenant, Agent: agent})
}

// Watch implements [workspace.Store]. While somebody watches, the store reads SQLite's
// data_version each half second (https://www.sqlite.org/pragma.html#pragma_data_version).
// When it has changed, some process has written, and the zero Owner is told.
func (s *Store) Watch(ctx context.Context) (<-chan workspace.Owner, error) {
	if ctx.Err() != nil {
		return nil, notStarted(ctx)
	}
	told, first, err := s.watches.watchers.Add(ctx)
	if err == nil && first {
		go s.poll()
	}
	return told, err
}

// poll tells of commits until nobody watches. It keeps a connection to itself, because
// data_version is of a connection.
func (s *Store) poll() {
	s.watches.polling.Lock()
	defer s.watches.polling.Unlock()
	var c *conn
	defer func() {
		if c != nil {
			c.close()
		}
	}()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var seen int64
	for s.watches.watchers.Len() > 0 {
		if version, err := s.dataVersion(&c); err != nil || version != seen {
			seen = version
			s.watches.watchers.Tell(workspace.Owner{})
		}
		select {
		case <-s.closed:
			return
		case <-tick.C:
		}
	}
}

// dataVersion reads data_version on a connection, which it opens if there is none. After
// an error it opens another.
func (s *Store) dataVersion(c **conn) (version int64, err error) {
	if *c == nil {
		if *c, err = s.dialReader(); err != nil {
			return 0, err
		}
	}
	if version, err = (*c).number("PRAGMA data_version"); err != nil {
		(*c).close()
		*c = nil
	}
	return version, err
}
