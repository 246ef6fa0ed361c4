package sqlite

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// pollInterval is how often a store that is watched looks for commits of other processes.
const pollInterval = 500 * time.Millisecond

// Watch implements [store.Store]. A store of [OpenReadOnly] can be watched too.
//
// While somebody watches, the store reads SQLite's data_version each half second, once for
// all watchers (https://www.sqlite.org/pragma.html#pragma_data_version). If it has changed,
// some process has written, and the zero Owner is told. That process may be this one. The
// zero Owner is also told when the reading begins, and each half second while the database
// cannot be read.
func (s *Store) Watch(ctx context.Context) (<-chan store.Owner, error) {
	if ctx.Err() != nil {
		return nil, store.NotStarted(ctx)
	}
	return s.watchers.Watch(ctx)
}

// poll tells of commits until ctx ends. It keeps a connection to itself, because
// data_version only compares to others of one connection.
func (s *Store) poll(ctx context.Context) {
	var c *conn // nil: it is not open yet, or has failed
	defer func() {
		if c != nil {
			c.close()
		}
	}()
	for seen := int64(0); ; {
		now, err := int64(0), error(nil)
		if c == nil {
			seen = 0
			c, err = s.dialReader()
		}
		if err == nil {
			now, err = c.Number("PRAGMA data_version")
		}
		if err != nil || now != seen { // whoever is told reads, and gets the error
			s.watchers.Tell(store.Owner{})
		}
		if seen = now; c != nil && (err != nil || c.still) { // such a connection sees no commit
			c.close()
			c = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollInterval):
		}
	}
}
