package sqlite

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// pollInterval is how often a store that is watched looks for commits of other processes.
const pollInterval = 500 * time.Millisecond

// watches are the watchers of a store, and the goroutine that looks for commits of other
// processes while there is one.
type watches struct {
	watchers store.Watchers
	ended    sync.WaitGroup // the goroutine

	mu      sync.Mutex // guards the following
	polling bool       // the goroutine runs
	closed  bool
}

// close closes the channels and waits for the end of the goroutine. The caller has closed
// Store.closed.
func (w *watches) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.watchers.Close()
	w.ended.Wait()
}

// start reports whether the goroutine is to be started, and counts it.
func (w *watches) start() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.polling || w.closed {
		return false
	}
	w.polling = true
	w.ended.Add(1)
	return true
}

// stop reports whether the goroutine is to end, because nobody watches.
func (w *watches) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polling = w.watchers.Len() > 0
	return !w.polling
}

// tell tells of an owner, as it stands in the first column of every table.
func (w *watches) tell(owner string) {
	tenant, agent, _ := strings.Cut(owner, "/")
	w.watchers.Tell(store.Owner{Tenant: tenant, Agent: agent})
}

// Watch implements [store.Store]. A store of [OpenReadOnly] can be watched too.
//
// While somebody watches, the store reads SQLite's data_version each half second, once for
// all watchers (https://www.sqlite.org/pragma.html#pragma_data_version). If it has changed,
// some process has written, and the zero Owner is told. That process may be this one. The
// zero Owner is also told when the reading begins, and each half second while the database
// cannot be read. The reading ends within half a second of the last watcher.
func (s *Store) Watch(ctx context.Context) (<-chan store.Owner, error) {
	if ctx.Err() != nil {
		return nil, notStarted(ctx)
	}
	told, _, err := s.watches.watchers.Add(ctx)
	if err != nil {
		return nil, err
	}
	if s.watches.start() {
		go s.poll()
	}
	return told, nil
}

// poll tells of commits until nobody watches.
func (s *Store) poll() {
	defer s.watches.ended.Done()
	var p poller
	defer p.close()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !s.watches.stop() {
		if p.changed(s) {
			s.watches.watchers.Tell(store.Owner{})
		}
		select {
		case <-s.closed:
			return
		case <-tick.C:
		}
	}
}

// A poller reads data_version. It keeps a connection to itself, because the number only
// compares to others of one connection.
type poller struct {
	c    *conn // nil: it is not open yet, or has failed
	seen int64
}

// changed reports whether there may be a commit since the last call.
func (p *poller) changed(s *Store) bool {
	fresh := p.c == nil
	if fresh {
		c, err := s.dialReader()
		if err != nil {
			return true // whoever is told reads, and gets the error
		}
		p.c = c
	}
	version, err := p.c.Number("PRAGMA data_version")
	if err != nil || p.c.still { // such a connection sees no commit
		p.close()
		return true
	}
	before := p.seen
	p.seen = version
	return fresh || version != before
}

func (p *poller) close() {
	if p.c != nil {
		p.c.close()
		p.c = nil
	}
}
