package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	// channel is what writers notify and watchers listen to. One payload names owners, one a
	// line, after a line with the name of the Store that wrote.
	channel = "scratchpad_changes"

	notifyPause  = 25 * time.Millisecond  // between two notifications of a store
	maxPayload   = 7_500                  // bytes; PostgreSQL allows 8,000
	pollInterval = 450 * time.Millisecond // between two looks for commits that nobody told of
)

// watches are the watchers of a store, the goroutine that listens while there are any, and
// the one that tells other processes while there is something to tell.
type watches struct {
	watchers store.Watchers
	ended    sync.WaitGroup

	mu        sync.Mutex // guards the following
	cancel    context.CancelFunc
	listening bool
	telling   bool
	closed    bool
	news      map[string]bool // owners that other processes are to be told of
}

// close ends the watching and the telling.
func (w *watches) close() {
	w.mu.Lock()
	w.closed = true
	if w.cancel != nil {
		w.cancel()
	}
	w.mu.Unlock()
	w.watchers.Close()
	w.ended.Wait()
}

// Watch implements [store.Store].
//
// While somebody watches, the store listens to what other processes notify, on one
// connection. Every half second it also asks for the server's current snapshot, once for all
// watchers. If that has changed, some transaction has ended, and the zero Owner is told. So
// watchers learn of writes also where a notification does not get through.
func (s *Store) Watch(ctx context.Context) (<-chan store.Owner, error) {
	if ctx.Err() != nil {
		return nil, notStarted(ctx)
	}
	told, _, err := s.watches.watchers.Add(ctx)
	if err != nil {
		return nil, err
	}
	w := &s.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.listening && !w.closed {
		w.listening = true
		var listen context.Context
		listen, w.cancel = context.WithCancel(s.life)
		w.ended.Go(func() { s.listen(listen) })
	}
	return told, nil
}

// done reports whether nobody watches any more, and that the goroutine is to end.
func (w *watches) done() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watchers.Len() == 0 || w.closed {
		w.listening = false
		w.cancel()
		return true
	}
	return false
}

// listen tells watchers until there are none. It connects again where the connection is
// lost.
func (s *Store) listen(ctx context.Context) {
	for !s.watches.done() {
		err := s.listenOnce(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Debug("postgres: the connection of the watchers was lost", "error", err)
		}
		s.watches.watchers.Tell(store.Owner{}) // whoever is told reads, and gets the error
		sleep(ctx, pollInterval)
	}
}

// listenOnce listens on one connection, until it is lost or nobody watches.
func (s *Store) listenOnce(ctx context.Context) error {
	config := s.config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { s.heard(n.Payload) }
	c, err := wire.Connect(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.Background())
	if err := s.run(ctx, c, wire.Statement{SQL: "LISTEN " + channel}); err != nil {
		return err
	}
	seen := ""
	for {
		now := ""
		err := s.run(ctx, c, wire.Statement{SQL: "SELECT pg_current_snapshot()::text", Row: wire.Into(&now)})
		if err != nil {
			return err
		}
		if now != seen {
			s.watches.watchers.Tell(store.Owner{})
		}
		seen = now
		next := time.Now().Add(pollInterval)
		for time.Now().Before(next) {
			if s.watches.watchers.Len() == 0 {
				return nil
			}
			wait, cancel := context.WithDeadline(ctx, next)
			err := c.WaitForNotification(wait)
			cancel()
			if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err)) {
				return err
			}
		}
	}
}

// heard tells of what another process wrote.
func (s *Store) heard(payload string) {
	from, owners, _ := strings.Cut(payload, "\n")
	if from == s.name {
		return
	}
	for o := range strings.Lines(owners) {
		tenant, agent, _ := strings.Cut(strings.TrimSuffix(o, "\n"), "/")
		s.watches.watchers.Tell(store.Owner{Tenant: tenant, Agent: agent})
	}
}

// tell tells the watchers of this process of an owner at once, and those of other processes
// soon.
func (s *Store) tell(owner string) {
	tenant, agent, _ := strings.Cut(owner, "/")
	w := &s.watches
	w.watchers.Tell(store.Owner{Tenant: tenant, Agent: agent})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if w.news == nil {
		w.news = map[string]bool{}
	}
	w.news[owner] = true
	if !w.telling {
		w.telling = true
		w.ended.Go(s.notify)
	}
}

// notify tells other processes, until there is nothing more to tell. Many writes share one
// notification, because PostgreSQL lets one transaction at a time commit one.
func (s *Store) notify() {
	w := &s.watches
	for {
		w.mu.Lock()
		payload := ""
		for owner := range w.news {
			if line := "\n" + owner; len(payload)+len(line) > maxPayload {
				payload = "\n\n" // the zero Owner: any
				break
			} else {
				payload += line
			}
		}
		w.news = nil
		w.telling = payload != "" && !w.closed
		goOn := w.telling
		w.mu.Unlock()
		if !goOn {
			return
		}
		if err := s.send(s.name + payload); err != nil && !errors.Is(err, store.ErrClosed) {
			s.log.Debug("postgres: other processes were not told of a write; they will find it", "error", err)
		}
		sleep(s.life, notifyPause)
	}
}

func (s *Store) send(payload string) error {
	ctx, cancel := context.WithTimeout(s.life, time.Second)
	defer cancel()
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	l := lease{c}
	defer l.Release()
	return s.run(ctx, l.conn(),
		wire.Statement{SQL: "BEGIN"},
		wire.Statement{SQL: "SET LOCAL synchronous_commit = off"}, // nothing is stored
		wire.Statement{SQL: "SELECT pg_notify($1, $2)", Args: []any{channel, payload}},
		wire.Statement{SQL: "COMMIT"},
	)
}
